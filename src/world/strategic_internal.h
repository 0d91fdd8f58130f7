// The two halves of a strategic merge, which need each other: objects hold lists hold objects.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "api/table.h"
#include "api/type.h"
#include "base/result.h"
#include "world/tree_internal.h"  // IWYU pragma: keep (the name json)

namespace berth::world {

inline constexpr std::string_view kPatchDirective = "$patch";

// How one member of an object merges, and what it holds. Without a type nothing is known of it.
struct MergeRule {
  api::PatchStrategy strategy = api::PatchStrategy::kDefault;
  std::string_view merge_key = {};
  const api::Type* type = nullptr;

  bool merges_lists() const {
    return strategy == api::PatchStrategy::kMerge || strategy == api::PatchStrategy::kMergeRetain;
  }
};

// strategic_merge.cc
Result<void> merge_object(json::object& target, json::object patch, const api::Type* type);

// strategic_list.cc
struct ListPatch {
  json::array items;
  // $setElementOrder: the order in which what it names is to stand; nullptr: none was sent.
  const json::array* order = nullptr;
  // $deleteFromPrimitiveList; nullptr: none was sent.
  const json::array* removals = nullptr;
};
Result<void> merge_list(json::array& target, ListPatch patch, const MergeRule& rule);

}  // namespace berth::world
