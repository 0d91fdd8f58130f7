// Which plugins there are, in the order in which they are asked unless a configuration says
// otherwise. In-tree ones and others stand in one list.
//
//   Registry registry;
//   registry.add<NodeName>({}, [](NodeName::Args, PluginSetup&) -> Result<std::unique_ptr<Plugin>>
//   {
//     return std::make_unique<NodeName>();
//   });
//
// A plugin class has a name, `static constexpr std::string_view kName`, and arguments: a struct
// `Args` that is right without any and reads itself, `static Args read(Fields&)`; NoArgs for those
// without.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "framework/cycle_state.h"
#include "framework/fields.h"
#include "framework/plugin.h"
#include "framework/points.h"

namespace berth::framework {

struct NoArgs {
  static NoArgs read(Fields& /*fields*/) { return {}; }
};

// What plugins are made with, besides what their maker knows.
struct PluginSetup {
  StateLayout& layout;
};

struct PluginEntry {
  std::string name;
  Points points;
  std::int64_t weight = 1;  // of its scores
  // Asked unless a configuration says otherwise.
  bool is_default = true;
  // Reads the arguments for their problems only.
  std::function<void(Fields& arguments)> check;
  // nullptr stands for no arguments. Empty: the plugin is known, so that configurations can name it
  // and be checked, and cannot be made here.
  std::function<Result<std::unique_ptr<Plugin>>(Fields* arguments, PluginSetup& setup)> make = {};
};

class Registry {
 public:
  struct Options {
    std::int64_t weight = 1;
    bool is_default = true;
  };

  // `make` gets the arguments that were read. kExists when there is one of that name.
  template <typename Class>
  using Make = std::function<Result<std::unique_ptr<Plugin>>(typename Class::Args, PluginSetup&)>;
  template <std::derived_from<Plugin> Class>
  Result<void> add(Options options, Make<Class> make) {
    PluginEntry entry = known<Class>(options);
    entry.make = [make = std::move(make)](Fields* arguments, PluginSetup& setup) {
      return make(read<Class>(arguments), setup);
    };
    return add(std::move(entry));
  }
  // Only known.
  template <std::derived_from<Plugin> Class>
  Result<void> add(Options options) {
    return add(known<Class>(options));
  }
  Result<void> add(PluginEntry entry);
  // All of another one behind those of this. kExists when both have a name, and nothing is added.
  Result<void> merge(Registry other);

  std::span<const PluginEntry> entries() const { return entries_; }
  // nullptr when there is none. Valid until the next change.
  const PluginEntry* find(std::string_view name) const;

 private:
  template <typename Class>
  static typename Class::Args read(Fields* arguments) {
    return arguments != nullptr ? Class::Args::read(*arguments) : typename Class::Args();
  }
  template <typename Class>
  static PluginEntry known(Options options) {
    static_assert(!std::is_abstract_v<Class>, "a plugin implements all of the points it names");
    return {.name = std::string(Class::kName),
            .points = points_of<Class>(),
            .weight = options.weight,
            .is_default = options.is_default,
            .check = [](Fields& arguments) { static_cast<void>(Class::Args::read(arguments)); }};
  }

  std::vector<PluginEntry> entries_;
};

}  // namespace berth::framework
