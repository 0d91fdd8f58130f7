#include <boost/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "world/patch_internal.h"
#include "world/tree_internal.h"  // IWYU pragma: keep (the name json)

namespace berth::world {
namespace {

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
void merge(json::object& target, json::object patch) {
  for (auto& member : patch) {
    json::value& change = member.value();
    if (change.is_null()) {
      target.erase(member.key());
    } else if (change.is_object()) {
      json::value& place = target[member.key()];
      if (!place.is_object()) {
        place.emplace_object();
      }
      merge(place.get_object(), std::move(change.get_object()));
    } else {
      target[member.key()] = std::move(change);
    }
  }
}

}  // namespace

Result<void> apply_merge_patch(json::object& document, json::value patch) {
  if (!patch.is_object()) {
    return Error(ErrorCode::kInvalid, "a merge patch must be a JSON object");
  }
  merge(document, std::move(patch.get_object()));
  return {};
}

}  // namespace berth::world
