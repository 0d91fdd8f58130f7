#include "kube/cache.h"

#include <algorithm>
#include <string_view>

#include "api/mask.h"
#include "api/table.h"

namespace berth::kube {
namespace {

const api::Field* find_field(const api::Table& table, std::string_view name) {
  const auto fields = table.fields();
  const auto found = std::ranges::find(fields, name, &api::Field::json_name);
  return found != fields.end() ? &*found : nullptr;
}

}  // namespace

bool internal::keeps_identity(const api::Table& table, const api::Mask& mask) {
  const api::Field* metadata = find_field(table, "metadata");
  if (metadata == nullptr || !mask.keeps(table.index_of(*metadata))) {
    return false;
  }
  const api::Mask* part = mask.child(table.index_of(*metadata));
  const api::Table& meta = metadata->type->table();
  const auto is_kept = [&](std::string_view name) {
    const api::Field* field = find_field(meta, name);
    return field != nullptr && (part == nullptr || part->keeps(meta.index_of(*field)));
  };
  return is_kept("name") && is_kept("namespace") && is_kept("uid") && is_kept("resourceVersion");
}

}  // namespace berth::kube
