#include "app/config/check_config.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/in_tree.h"
#include "framework/config.h"
#include "framework/fields.h"
#include "framework/points.h"
#include "framework/profile.h"
#include "framework/registry.h"

namespace berth::app {
namespace {

using framework::AskedPlugin;
using framework::Point;
using framework::Problem;
using framework::Problems;
using framework::Profile;

std::vector<std::string> lines_of(const std::string& name, const Problems& problems) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems.sorted()) {
    lines.push_back(problem.line == 0 ? fmt::format("{}: {}", name, problem.text)
                                      : fmt::format("{}:{}: {}", name, problem.line, problem.text));
  }
  if (problems.count() > lines.size()) {
    lines.push_back(fmt::format("{}: and {} more", name, problems.count() - lines.size()));
  }
  return lines;
}

std::string plugins_at(const Profile& profile, Point point) {
  std::string text;
  for (const AskedPlugin& plugin : profile.asked_at(point)) {
    text.append(text.empty() ? "" : ", ").append(plugin.name);
    if (point == Point::kScore) {
      text += fmt::format(" ({})", plugin.weight);
    }
  }
  return text;
}

std::string table_of(const std::vector<Profile>& profiles) {
  std::string table;
  for (const Profile& profile : profiles) {
    table += fmt::format("profile {}\n", profile.scheduler_name);
    for (const Point point : framework::kConfiguredPoints) {
      const std::string plugins = plugins_at(profile, point);
      if (!plugins.empty()) {
        table += fmt::format("  {:<11} {}\n", framework::config_key(point), plugins);
      }
    }
  }
  return table;
}

}  // namespace

ConfigReport check_config(const std::string& name, std::string_view text) {
  framework::ConfigReading reading = framework::read_config(text);
  std::vector<Profile> profiles;
  // What cannot be read at all has no profiles to speak of.
  if (!reading.config.profiles.empty()) {
    profiles = framework::resolve_profiles(reading, known_plugins());
  }
  return {.table = reading.problems.empty() ? table_of(profiles) : "",
          .problems = lines_of(name, reading.problems),
          .remarks = lines_of(name, reading.remarks)};
}

std::string default_config() {
  return framework::default_config_text(known_plugins());
}

}  // namespace berth::app
