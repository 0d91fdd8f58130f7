#include "api/rules/resource_amounts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/members.h"
#include "api/rules/label_syntax.h"
#include "base/checked.h"

namespace berth::api {
namespace {

using Combine = std::optional<std::int64_t> (*)(std::int64_t, std::int64_t);

bool combine_into(ResourceAmounts& amounts, const ResourceAmounts& other, Combine combine) {
  const auto milli_cpu = combine(amounts.milli_cpu, other.milli_cpu);
  const auto memory = combine(amounts.memory_bytes, other.memory_bytes);
  const auto storage = combine(amounts.ephemeral_storage_bytes, other.ephemeral_storage_bytes);
  const auto pods = combine(amounts.pods, other.pods);
  const bool do_scalars_fit = std::ranges::all_of(other.scalars, [&](const auto& scalar) {
    const auto mine = amounts.scalars.find(scalar.first);
    return combine(mine == amounts.scalars.end() ? 0 : mine->second, scalar.second).has_value();
  });
  if (!milli_cpu || !memory || !storage || !pods || !do_scalars_fit) {
    return false;
  }
  amounts.milli_cpu = *milli_cpu;
  amounts.memory_bytes = *memory;
  amounts.ephemeral_storage_bytes = *storage;
  amounts.pods = *pods;
  for (const auto& [name, amount] : other.scalars) {
    const auto place = amounts.scalars.try_emplace(name, 0).first;
    place->second = combine(place->second, amount).value_or(0);
    if (place->second == 0) {
      amounts.scalars.erase(place);
    }
  }
  return true;
}

// Not of Kubernetes itself, and fit to stand in a quota ("requests.example.com/gpu").
bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.") &&
         is_label_key("requests." + std::string(name));
}

}  // namespace

ResourceAmounts ResourceAmounts::of(const ResourceList& resources) {
  ResourceAmounts amounts;
  for (const auto& [name, quantity] : resources) {
    if (name == "cpu") {
      amounts.milli_cpu = quantity.milli_value();
    } else if (name == "memory") {
      amounts.memory_bytes = quantity.value();
    } else if (name == "ephemeral-storage") {
      amounts.ephemeral_storage_bytes = quantity.value();
    } else if (name == "pods") {
      amounts.pods = quantity.value();
    } else if (!quantity.is_zero() && is_scalar_resource(name)) {
      amounts.scalars.emplace_hint(amounts.scalars.end(), name, quantity.value());
    }
  }
  return amounts;
}

bool ResourceAmounts::add(const ResourceAmounts& other) {
  return combine_into(*this, other, checked_add);
}

bool ResourceAmounts::subtract(const ResourceAmounts& other) {
  return combine_into(*this, other, checked_sub);
}

bool is_scalar_resource(std::string_view name) {
  return name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
         name.find("kubernetes.io/") != std::string_view::npos || is_extended_resource(name);
}

}  // namespace berth::api
