#include "framework/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "api/rules/pod_requests.h"
#include "api/rules/resource_amounts.h"

namespace berth::framework {
namespace {

// What one more pod asks for; sums that leave the range stay at its end, which no node can give.
void add_requests(api::ResourceAmounts& requested, const api::Pod& pod) {
  api::ResourceAmounts more = api::ResourceAmounts::of(api::pod_requests(pod));
  more.pods = 1;
  if (!requested.add(more)) {
    constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
    requested.milli_cpu = kEnd;
    requested.memory_bytes = kEnd;
  }
}

}  // namespace

SupposedSnapshot::SupposedSnapshot(const Snapshot& below,
                                   std::size_t number,
                                   const std::vector<PodPtr>& added)
    : below_(below), number_(number), state_(below.node(number)) {
  for (const PodPtr& pod : added) {
    state_.pods.push_back(pod);
    add_requests(state_.requested, *pod);
  }
}

}  // namespace berth::framework
