// A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) as its file says it, before it is
// held against the plugins there are: profile.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/fields.h"
#include "framework/points.h"

namespace berth::framework {

inline constexpr std::string_view kConfigApiVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr std::string_view kConfigKind = "KubeSchedulerConfiguration";
inline constexpr std::string_view kDefaultSchedulerName = "default-scheduler";

// A plugin named in a list.
struct NamedPlugin {
  std::string name;
  std::int64_t weight = 0;  // 0: not said
  std::size_t line = 0;
  std::string path;
};

struct PluginLists {
  std::vector<NamedPlugin> enabled;
  std::vector<NamedPlugin> disabled;
};

struct PluginArguments {
  std::string plugin;
  std::optional<ConfigValue> value;  // nothing: none are given
  std::size_t line = 0;
  std::string path;
};

struct ProfileConfig {
  std::string scheduler_name{kDefaultSchedulerName};
  PluginLists multi_point;
  std::array<PluginLists, kPointCount> at;  // by Point
  std::vector<PluginArguments> arguments;
  std::size_t line = 0;
  std::string path;

  const PluginLists& lists_at(Point point) const { return at[static_cast<std::size_t>(point)]; }
};

struct SchedulerConfig {
  std::vector<ProfileConfig> profiles;  // at least one
};

// What a configuration means and what is wrong with it.
struct ConfigReading {
  SchedulerConfig config;
  Problems problems;
  // What is allowed and has no effect here.
  Problems remarks;
};

inline constexpr std::size_t kConfigSizeMax = std::size_t{1} << 20;

// Reads the text of a file: exactly one document of the right kind, YAML or JSON. An empty config
// is not one; default_config() is.
ConfigReading read_config(std::string_view text);

// One profile of the default name with the default plugins.
SchedulerConfig default_config();

}  // namespace berth::framework
