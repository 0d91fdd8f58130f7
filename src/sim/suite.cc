#include "sim/suite.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "sim/informers/scenario.h"

namespace berth::sim {

std::span<const Suite> all_suites() {
  static constexpr std::array kSuites = {
      Suite{"informers",
            "writers change objects; informers, a work queue and two electing processes follow",
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
