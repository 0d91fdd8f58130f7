// Which plugins are asked at each point, in which order and with which weight: a configuration held
// against the plugins there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/config.h"
#include "framework/fields.h"
#include "framework/points.h"
#include "framework/registry.h"

namespace berth::framework {

struct AskedPlugin {
  std::string name;
  std::int64_t weight = 1;

  bool operator==(const AskedPlugin&) const = default;
};

struct Profile {
  std::string scheduler_name;
  std::array<std::vector<AskedPlugin>, kPointCount> at;  // by Point, configured ones only
  // Of those that have any, by name.
  std::map<std::string, ConfigValue, std::less<>> arguments;

  const std::vector<AskedPlugin>& asked_at(Point point) const {
    return at[static_cast<std::size_t>(point)];
  }
  // All of them once: in the order of the registry.
  std::vector<std::string> plugins(const Registry& registry) const;
};

// Those of a configuration, in its order. What is wrong goes to the reading's problems with its
// line, what has no effect to its remarks.
//
// For each point, plugins that are enabled both there and by multiPoint come first, in the order
// that is said there; then those of multiPoint that are not disabled there; then those that are
// enabled there alone. Defaults are the default plugins of the registry, as if by multiPoint; a
// multiPoint list takes the place of defaults it names and comes behind the others.
std::vector<Profile> resolve_profiles(ConfigReading& reading, const Registry& registry);

// The plugins of kube-scheduler that Berth does not have: a configuration may disable them.
bool is_kube_scheduler_plugin(std::string_view name);

// The default configuration as the text of a file, every default plugin named.
std::string default_config_text(const Registry& registry);

}  // namespace berth::framework
