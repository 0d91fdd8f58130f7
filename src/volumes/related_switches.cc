#include "volumes/related_switches.h"

namespace berth::volumes {

RelatedSwitches RelatedSwitches::upstream() {
  RelatedSwitches switches;
  for (const NamedRelatedSwitch& named : kRelatedSwitches) {
    switches.*named.member = false;
  }
  return switches;
}

}  // namespace berth::volumes
