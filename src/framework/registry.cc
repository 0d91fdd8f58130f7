#include "framework/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"

namespace berth::framework {
namespace {

Error exists(std::string_view name) {
  return {ErrorCode::kExists, fmt::format("a plugin named {} already exists", name)};
}

}  // namespace

Result<void> Registry::add(PluginEntry entry) {
  if (entry.name.empty()) {
    return Error(ErrorCode::kInvalid, "a plugin has a name");
  }
  if (find(entry.name) != nullptr) {
    return exists(entry.name);
  }
  entries_.push_back(std::move(entry));
  return {};
}

Result<void> Registry::merge(Registry other) {
  for (const PluginEntry& entry : other.entries_) {
    if (find(entry.name) != nullptr) {
      return exists(entry.name);
    }
  }
  std::ranges::move(other.entries_, std::back_inserter(entries_));
  return {};
}

const PluginEntry* Registry::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &PluginEntry::name);
  return found != entries_.end() ? &*found : nullptr;
}

}  // namespace berth::framework
