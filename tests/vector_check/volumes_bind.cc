#include "volumes_bind.h"

namespace berth::vector_check {
boost::json::object replay_bind(const Scenario&,
                                const boost::json::object&,
                                const volumes::Switches&) {
  return {};
}
}  // namespace berth::vector_check
