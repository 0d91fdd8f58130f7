#include "volumes/switches.h"

namespace berth::volumes {

Switches Switches::upstream() {
  Switches switches;
  for (const NamedSwitch& named : kSwitches) {
    switches.*named.member = false;
  }
  return switches;
}

}  // namespace berth::volumes
