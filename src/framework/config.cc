#include "framework/config.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json_text.h"
#include "api/rules/quoted.h"
#include "api/yaml_nodes.h"
#include "base/error.h"
#include "base/result.h"
#include "framework/fields.h"
#include "framework/points.h"

namespace berth::framework {
namespace {

constexpr Fields::Range kCount{.min = 0, .max = std::numeric_limits<std::int32_t>::max()};
constexpr std::size_t kProfilesMax = 64;

std::vector<NamedPlugin> read_names(Fields& lists, std::string_view list) {
  std::vector<NamedPlugin> plugins;
  for (Fields& fields : lists.objects(list)) {
    NamedPlugin plugin{.name = fields.text("name", ""),
                       .weight = fields.integer("weight", 0, kCount),
                       .line = fields.line_of("name"),
                       .path = fields.path()};
    fields.finish();
    if (plugin.name.empty()) {
      fields.complain("", "lacks the name of the plugin");
      continue;
    }
    plugins.push_back(std::move(plugin));
  }
  return plugins;
}

PluginLists read_lists(Fields& plugins, std::string_view key) {
  PluginLists lists;
  if (auto fields = plugins.object(key)) {
    lists.enabled = read_names(*fields, "enabled");
    lists.disabled = read_names(*fields, "disabled");
    fields->finish();
  }
  return lists;
}

void read_plugins(Fields& plugins, ProfileConfig& profile) {
  profile.multi_point = read_lists(plugins, "multiPoint");
  for (const Point point : kConfiguredPoints) {
    profile.at[static_cast<std::size_t>(point)] = read_lists(plugins, config_key(point));
  }
  plugins.finish();
}

void read_arguments(Fields& profile, std::vector<PluginArguments>& arguments) {
  for (Fields& fields : profile.objects("pluginConfig")) {
    PluginArguments one{.plugin = fields.text("name", ""),
                        .value = fields.value("args"),
                        .line = fields.line_of("name"),
                        .path = fields.path()};
    fields.finish();
    if (one.plugin.empty()) {
      fields.complain("", "lacks the name of the plugin");
      continue;
    }
    arguments.push_back(std::move(one));
  }
}

class ConfigReader {
 public:
  ConfigReader(Fields& root, ConfigReading& reading) : root_(root), reading_(reading) {}

  void read() {
    check_kind();
    for (Fields& fields : root_.objects("profiles")) {
      read_profile(fields);
    }
    if (reading_.config.profiles.empty()) {
      reading_.config = default_config();
    }
    if (reading_.config.profiles.size() > kProfilesMax) {
      root_.complain("profiles", fmt::format("are more than {}", kProfilesMax));
    }
    if (!root_.objects("extenders").empty()) {
      root_.complain("extenders", "are not supported");
    }
    read_the_rest();
    root_.finish();
  }

 private:
  void check_kind() {
    const std::string api_version = root_.text("apiVersion", "");
    const std::string kind = root_.text("kind", "");
    if (kind != kConfigKind) {
      root_.complain("kind", fmt::format("is {}, not {}", api::quoted(kind), kConfigKind));
    } else if (api_version != kConfigApiVersion) {
      root_.complain("apiVersion",
                     fmt::format("is {}, not {}", api::quoted(api_version), kConfigApiVersion));
    }
  }

  void read_profile(Fields& fields) {
    ProfileConfig profile;
    profile.line = fields.line_of("schedulerName");
    profile.path = fields.path();
    if (fields.has("schedulerName")) {
      profile.scheduler_name = fields.text("schedulerName", kDefaultSchedulerName);
    }
    if (auto plugins = fields.object("plugins")) {
      read_plugins(*plugins, profile);
    }
    read_arguments(fields, profile.arguments);
    without_effect(fields, "percentageOfNodesToScore", {.min = 0, .max = 100});
    fields.finish();
    reading_.config.profiles.push_back(std::move(profile));
  }

  // Fields of the format that nothing here reads yet: checked, and said to have no effect.
  void read_the_rest() {
    without_effect(root_, "parallelism", {.min = 1, .max = kCount.max});
    without_effect(root_, "percentageOfNodesToScore", {.min = 0, .max = 100});
    without_effect(root_, "podInitialBackoffSeconds", kCount);
    without_effect(root_, "podMaxBackoffSeconds", kCount);
    for (const std::string_view name :
         {"enableProfiling", "enableContentionProfiling", "delayCacheUntilActive"}) {
      if (root_.has(name)) {
        static_cast<void>(root_.boolean(name, false));
        remark(root_, name);
      }
    }
    if (auto fields = root_.object("leaderElection")) {
      static_cast<void>(fields->boolean("leaderElect", true));
      for (const std::string_view name : {"leaseDuration",
                                          "renewDeadline",
                                          "retryPeriod",
                                          "resourceLock",
                                          "resourceName",
                                          "resourceNamespace"}) {
        static_cast<void>(fields->text(name, ""));
      }
      fields->finish();
      remark(root_, "leaderElection");
    }
    if (auto fields = root_.object("clientConnection")) {
      for (const std::string_view name : {"kubeconfig", "acceptContentTypes", "contentType"}) {
        static_cast<void>(fields->text(name, ""));
      }
      // Any number: nobody goes by it.
      static_cast<void>(fields->value("qps"));
      static_cast<void>(fields->integer("burst", 0, kCount));
      fields->finish();
      remark(root_, "clientConnection");
    }
  }

  void without_effect(Fields& fields, std::string_view name, Fields::Range range) {
    if (fields.has(name)) {
      static_cast<void>(fields.integer(name, range.min, range));
      remark(fields, name);
    }
  }

  void remark(Fields& fields, std::string_view name) {
    const std::string path =
        fields.path().empty() ? std::string(name) : fmt::format("{}.{}", fields.path(), name);
    reading_.remarks.add(fields.line_of(name), path, "has no effect yet");
  }

  Fields& root_;
  ConfigReading& reading_;
};

}  // namespace

SchedulerConfig default_config() {
  SchedulerConfig config;
  config.profiles.emplace_back().path = "profiles[0]";
  return config;
}

ConfigReading read_config(std::string_view text) {
  ConfigReading reading;
  if (text.size() > kConfigSizeMax) {
    reading.problems.add(
        0, "", fmt::format("the text has {} bytes, more than {}", text.size(), kConfigSizeMax));
    return reading;
  }
  if (!api::codec::is_utf8(text)) {
    reading.problems.add(0, "", "the text is not UTF-8");
    return reading;
  }
  std::size_t documents = 0;
  const auto take = [&reading, &documents](Result<api::yaml::Document> document, std::size_t line) {
    if (++documents > 1) {
      reading.problems.add(line, "", "a second document begins; a configuration has one");
      return false;
    }
    if (!document) {
      // It names its line itself.
      reading.problems.add(0, "", document.error().text());
      return false;
    }
    const ConfigValue value(std::make_shared<const api::yaml::Document>(*std::move(document)), 0);
    Fields root(value, "", reading.problems);
    if (reading.problems.empty()) {
      ConfigReader(root, reading).read();
    }
    return true;
  };
  api::yaml::for_each_document(text, take);
  if (documents == 0) {
    reading.problems.add(0, "", "there is no configuration in it");
  }
  return reading;
}

}  // namespace berth::framework
