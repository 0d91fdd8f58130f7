#include "framework/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/quoted.h"
#include "framework/config.h"
#include "framework/fields.h"
#include "framework/points.h"
#include "framework/registry.h"

namespace berth::framework {
namespace {

constexpr std::string_view kAllPlugins = "*";

bool names(const std::vector<NamedPlugin>& plugins, std::string_view name) {
  return std::ranges::find(plugins, name, &NamedPlugin::name) != plugins.end();
}

const NamedPlugin* find(const std::vector<NamedPlugin>& plugins, std::string_view name) {
  const auto found = std::ranges::find(plugins, name, &NamedPlugin::name);
  return found != plugins.end() ? &*found : nullptr;
}

bool is_disabled(const PluginLists& lists, std::string_view name) {
  return names(lists.disabled, name) || names(lists.disabled, kAllPlugins);
}

// Makes one profile of what a file says and of the defaults.
class Resolver {
 public:
  Resolver(const ProfileConfig& config, const Registry& registry, ConfigReading& reading)
      : config_(config), registry_(registry), reading_(reading) {}

  Profile resolve() {
    Profile profile;
    profile.scheduler_name = config_.scheduler_name;
    if (config_.scheduler_name.empty()) {
      complain("schedulerName", "is empty");
    }
    check_names(config_.multi_point);
    check_twice(config_.multi_point.enabled, "multiPoint");
    const std::vector<NamedPlugin> multi_point = merged_with_defaults();
    for (const Point point : kConfiguredPoints) {
      check_names(config_.lists_at(point));
      check_twice(config_.lists_at(point).enabled, name_of(point));
      profile.at[static_cast<std::size_t>(point)] = expand(point, multi_point);
    }
    take_arguments(profile);
    check_whole(profile);
    return profile;
  }

 private:
  // Lists that name nobody we know are slips of the pen, but for the rest of kube-scheduler's.
  void check_names(const PluginLists& lists) {
    for (const NamedPlugin& plugin : lists.enabled) {
      if (registry_.find(plugin.name) == nullptr) {
        const std::string_view why = is_kube_scheduler_plugin(plugin.name)
                                         ? "is one of kube-scheduler that Berth does not have yet"
                                         : "does not exist";
        problem(plugin, fmt::format("plugin {} {}", api::quoted(plugin.name), why));
      }
    }
    for (const NamedPlugin& plugin : lists.disabled) {
      const bool is_known = plugin.name == kAllPlugins || registry_.find(plugin.name) != nullptr ||
                            is_kube_scheduler_plugin(plugin.name);
      if (!is_known) {
        problem(plugin, fmt::format("plugin {} does not exist", api::quoted(plugin.name)));
      }
    }
  }

  void check_twice(const std::vector<NamedPlugin>& plugins, std::string_view where) {
    for (std::size_t i = 0; i < plugins.size(); ++i) {
      const auto before = plugins.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(plugins.begin(), before, [&](const NamedPlugin& other) {
            return other.name == plugins[i].name;
          })) {
        problem(plugins[i],
                fmt::format(
                    "plugin {} already registered as \"{}\"", api::quoted(plugins[i].name), where));
      }
    }
  }

  // What the file says takes the place of the default of that name; the rest comes behind.
  std::vector<NamedPlugin> merged_with_defaults() const {
    const PluginLists& said = config_.multi_point;
    std::vector<NamedPlugin> merged;
    for (const PluginEntry& entry : registry_.entries()) {
      if (!entry.is_default || is_disabled(said, entry.name)) {
        continue;
      }
      NamedPlugin plugin{.name = entry.name, .weight = entry.weight, .line = 0, .path = {}};
      if (const NamedPlugin* own = find(said.enabled, entry.name)) {
        plugin.weight = own->weight;
      }
      merged.push_back(std::move(plugin));
    }
    for (const NamedPlugin& plugin : said.enabled) {
      if (!names(merged, plugin.name)) {
        merged.push_back(plugin);
      }
    }
    return merged;
  }

  bool implements(std::string_view name, Point point) const {
    const PluginEntry* entry = registry_.find(name);
    return entry != nullptr && entry->points.has(point);
  }

  std::vector<AskedPlugin> expand(Point point, const std::vector<NamedPlugin>& multi_point) {
    const PluginLists& here = config_.lists_at(point);
    for (const NamedPlugin& plugin : here.enabled) {
      if (registry_.find(plugin.name) != nullptr && !implements(plugin.name, point)) {
        problem(plugin,
                fmt::format(
                    "plugin {} does not implement {}", api::quoted(plugin.name), name_of(point)));
      }
    }
    const bool is_alone = names(here.disabled, kAllPlugins);
    std::vector<AskedPlugin> asked;
    const auto ask = [&asked](const NamedPlugin& plugin, std::int64_t weight) {
      asked.push_back({.name = plugin.name, .weight = weight == 0 ? 1 : weight});
    };
    for (const NamedPlugin& plugin : here.enabled) {
      const NamedPlugin* other = is_alone ? nullptr : find(multi_point, plugin.name);
      if (other != nullptr) {
        ask(plugin, plugin.weight != 0 ? plugin.weight : other->weight);
      }
    }
    for (const NamedPlugin& plugin : multi_point) {
      if (!is_disabled(here, plugin.name) && !names(here.enabled, plugin.name) &&
          implements(plugin.name, point)) {
        ask(plugin, plugin.weight);
      }
    }
    for (const NamedPlugin& plugin : here.enabled) {
      if (is_alone || !names(multi_point, plugin.name)) {
        ask(plugin, plugin.weight);
      }
    }
    return asked;
  }

  void take_arguments(Profile& profile) {
    const std::vector<std::string> asked = profile.plugins(registry_);
    for (const PluginArguments& arguments : config_.arguments) {
      if (std::ranges::find(config_.arguments, arguments.plugin, &PluginArguments::plugin)->line !=
          arguments.line) {
        reading_.problems.add(
            arguments.line,
            arguments.path,
            fmt::format("repeated config for plugin {}", api::quoted(arguments.plugin)));
        continue;
      }
      const PluginEntry* entry = registry_.find(arguments.plugin);
      if (entry != nullptr && arguments.value) {
        check_arguments(*entry, *arguments.value, arguments.path + ".args");
        profile.arguments.emplace(arguments.plugin, *arguments.value);
      }
      if (std::ranges::find(asked, arguments.plugin) == asked.end()) {
        reading_.remarks.add(
            arguments.line,
            arguments.path,
            fmt::format("has no effect: plugin {} is not enabled", api::quoted(arguments.plugin)));
      }
    }
  }

  void check_arguments(const PluginEntry& entry, const ConfigValue& value, std::string path) {
    const std::size_t before = reading_.problems.count();
    Fields fields(value, std::move(path), reading_.problems);
    if (reading_.problems.count() != before) {
      return;
    }
    check_kind(fields, entry.name);
    if (entry.check) {
      entry.check(fields);
    }
    fields.finish();
  }

  // Arguments may say what they are, as other objects do.
  static void check_kind(Fields& fields, std::string_view plugin) {
    const std::string kind = fields.text("kind", "");
    const std::string api_version = fields.text("apiVersion", "");
    if (!kind.empty() && kind != fmt::format("{}Args", plugin)) {
      fields.complain("kind", fmt::format("is {}, not {}Args", api::quoted(kind), plugin));
    }
    if (!api_version.empty() && api_version != kConfigApiVersion) {
      fields.complain("apiVersion",
                      fmt::format("is {}, not {}", api::quoted(api_version), kConfigApiVersion));
    }
  }

  void check_whole(const Profile& profile) {
    const std::size_t sorts = profile.asked_at(Point::kQueueSort).size();
    if (sorts != 1) {
      complain("plugins.queueSort", fmt::format("has {} plugins; one must sort the queue", sorts));
    }
    if (profile.asked_at(Point::kBind).empty()) {
      complain("plugins.bind", "has no plugin; at least one must bind");
    }
  }

  void complain(std::string_view name, std::string_view what) {
    reading_.problems.add(config_.line, fmt::format("{}.{}", config_.path, name), what);
  }
  void problem(const NamedPlugin& plugin, std::string_view what) {
    reading_.problems.add(plugin.line, plugin.path, what);
  }

  const ProfileConfig& config_;
  const Registry& registry_;
  ConfigReading& reading_;
};

// All profiles share one queue, so they agree on how it is sorted.
bool is_sorted_alike(const Profile& a, const Profile& b) {
  const auto& sorts = a.asked_at(Point::kQueueSort);
  if (sorts != b.asked_at(Point::kQueueSort)) {
    return false;
  }
  return std::ranges::all_of(sorts, [&a, &b](const AskedPlugin& sort) {
    const auto of_a = a.arguments.find(sort.name);
    const auto of_b = b.arguments.find(sort.name);
    if (of_a == a.arguments.end() || of_b == b.arguments.end()) {
      return (of_a == a.arguments.end()) == (of_b == b.arguments.end());
    }
    return is_same(of_a->second, of_b->second);
  });
}

}  // namespace

std::vector<std::string> Profile::plugins(const Registry& registry) const {
  std::vector<std::string> plugins;
  for (const PluginEntry& entry : registry.entries()) {
    const bool is_asked = std::ranges::any_of(at, [&entry](const auto& asked) {
      return std::ranges::find(asked, entry.name, &AskedPlugin::name) != asked.end();
    });
    if (is_asked) {
      plugins.push_back(entry.name);
    }
  }
  return plugins;
}

std::vector<Profile> resolve_profiles(ConfigReading& reading, const Registry& registry) {
  std::vector<Profile> profiles;
  for (const ProfileConfig& config : reading.config.profiles) {
    Profile profile = Resolver(config, registry, reading).resolve();
    const auto same = std::ranges::find(profiles, profile.scheduler_name, &Profile::scheduler_name);
    if (same != profiles.end()) {
      reading.problems.add(
          config.line,
          config.path + ".schedulerName",
          fmt::format("{} is the name of an earlier profile", api::quoted(profile.scheduler_name)));
    }
    if (!profiles.empty() && !is_sorted_alike(profiles.front(), profile)) {
      reading.problems.add(config.line,
                           config.path + ".plugins.queueSort",
                           "differs from that of the first profile; all share one queue");
    }
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

bool is_kube_scheduler_plugin(std::string_view name) {
  static constexpr std::array<std::string_view, 19> kNames{"DefaultBinder",
                                                           "DefaultPreemption",
                                                           "DynamicResources",
                                                           "ImageLocality",
                                                           "InterPodAffinity",
                                                           "NodeAffinity",
                                                           "NodeName",
                                                           "NodePorts",
                                                           "NodeResourcesBalancedAllocation",
                                                           "NodeResourcesFit",
                                                           "NodeUnschedulable",
                                                           "NodeVolumeLimits",
                                                           "PodTopologySpread",
                                                           "PrioritySort",
                                                           "SchedulingGates",
                                                           "TaintToleration",
                                                           "VolumeBinding",
                                                           "VolumeRestrictions",
                                                           "VolumeZone"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::string default_config_text(const Registry& registry) {
  std::string text = fmt::format(
      "apiVersion: {}\nkind: {}\nprofiles:\n- schedulerName: {}\n  plugins:\n    multiPoint:\n"
      "      enabled:\n",
      kConfigApiVersion,
      kConfigKind,
      kDefaultSchedulerName);
  for (const PluginEntry& entry : registry.entries()) {
    if (entry.is_default) {
      text += fmt::format("      - name: {}\n", entry.name);
      if (entry.points.has(Point::kScore)) {
        text += fmt::format("        weight: {}\n", entry.weight);
      }
    }
  }
  return text;
}

}  // namespace berth::framework
