#include "sim/suite.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "sim/binding/scenario.h"
#include "sim/informers/scenario.h"
#include "world/faults.h"

namespace berth::sim {

using world::WriteKind;

std::span<const Suite> all_suites() {
  static constexpr std::array kInformerWrites = {WriteKind::kCreate,
                                                 WriteKind::kPatch,
                                                 WriteKind::kStatus,
                                                 WriteKind::kBinding,
                                                 WriteKind::kEviction,
                                                 WriteKind::kRemove,
                                                 WriteKind::kLeaseCreate,
                                                 WriteKind::kLeasePatch,
                                                 WriteKind::kEventCreate,
                                                 WriteKind::kEventPatch};
  static constexpr std::array kBinderWrites = {
      WriteKind::kStatus, WriteKind::kBinding, WriteKind::kLeaseCreate, WriteKind::kLeasePatch};
  static constexpr std::array kSuites = {
      Suite{"binding",
            "orders to bind pods come and go; two electing binders fulfil them",
            kBinderWrites,
            &binding::run},
      Suite{"informers",
            "writers change objects; informers, a work queue and two electing processes follow",
            kInformerWrites,
            &informers::run},
  };
  return kSuites;
}

const Suite* find_suite(std::string_view name) {
  const auto suites = all_suites();
  const auto found = std::ranges::find(suites, name, &Suite::name);
  return found != suites.end() ? &*found : nullptr;
}

}  // namespace berth::sim
