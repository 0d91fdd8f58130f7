// A configuration of the scheduler: whatever the text, it is read to its end, and a configuration
// without problems has whole profiles.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/config.h"
#include "framework/fields.h"
#include "framework/points.h"
#include "framework/profile.h"
#include "framework/registry.h"
#include "input.h"

using berth::fuzz::require;
namespace framework = berth::framework;

namespace {

framework::Registry few_plugins() {
  using framework::Point;
  framework::Registry registry;
  const auto add = [&registry](std::string name, framework::Points points, bool is_default) {
    const auto added = registry.add(
        framework::PluginEntry{.name = std::move(name),
                               .points = points,
                               .is_default = is_default,
                               .check = [](framework::Fields& fields) {
                                 static_cast<void>(fields.integer("size", 1, {.min = 0, .max = 9}));
                                 static_cast<void>(fields.texts("names"));
                               }});
    require(added.has_value(), "names differ");
  };
  add("Sort", {Point::kQueueSort}, true);
  add("A", {Point::kFilter, Point::kScore}, true);
  add("B", {Point::kScore}, false);
  add("Binder", {Point::kBind}, true);
  return registry;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const framework::Registry registry = few_plugins();
  framework::ConfigReading reading = framework::read_config(text);
  const std::vector<framework::Profile> profiles = framework::resolve_profiles(reading, registry);
  for (const framework::Problem& problem : reading.problems.sorted()) {
    // YAML has more line breaks than one, but none of nothing.
    require(problem.line <= text.size() + 1, "a problem is on a line of the text");
  }
  if (reading.problems.empty()) {
    require(!profiles.empty(), "a good configuration has a profile");
    for (const framework::Profile& profile : profiles) {
      require(profile.asked_at(framework::Point::kQueueSort).size() == 1, "one sorts");
      require(!profile.asked_at(framework::Point::kBind).empty(), "one binds");
    }
  }
  return 0;
}
