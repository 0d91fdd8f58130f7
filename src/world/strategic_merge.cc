// Strategic merge of objects. A patch is a partial document; besides members it may have
// directives:
//
//   "$patch": "replace"                    the object becomes the rest of the patch
//   "$patch": "delete"                     the object becomes empty
//   "$retainKeys": ["a", "b"]              of what was there only these members stay
//   "$setElementOrder/LIST": [...]         see strategic_list.cc
//   "$deleteFromPrimitiveList/LIST": [...]
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/quoted.h"
#include "api/table.h"
#include "api/type.h"
#include "base/error.h"
#include "base/result.h"
#include "world/patch_internal.h"
#include "world/strategic_internal.h"
#include "world/tree_internal.h"

namespace berth::world {
namespace {

constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kOrderPrefix = "$setElementOrder/";
constexpr std::string_view kRemovalsPrefix = "$deleteFromPrimitiveList/";

const api::Type* unwrapped(const api::Type* type) {
  while (type != nullptr &&
         (type->shape == api::Shape::kOptional || type->shape == api::Shape::kBox)) {
    type = type->element;
  }
  return type;
}

MergeRule rule_of(const api::Type* type, std::string_view member) {
  if (type == nullptr) {
    return {};
  }
  if (type->shape == api::Shape::kMap) {
    return {.type = unwrapped(type->element)};
  }
  if (type->shape != api::Shape::kStruct) {
    return {};
  }
  for (const api::Table::JsonName& name : type->table().json_names()) {
    if (name.name == member) {
      return {.strategy = name.field->patch_strategy,
              .merge_key = name.field->merge_key,
              .type = unwrapped(name.field->type)};
    }
  }
  return {};
}

// $retainKeys, which must name every member the patch sets.
Result<void> retain_keys(json::object& target, json::object& patch) {
  const json::value* directive = patch.if_contains(kRetainKeys);
  if (directive == nullptr) {
    return {};
  }
  if (!directive->is_array()) {
    return Error(ErrorCode::kInvalid, "$retainKeys: must be a list of member names");
  }
  const json::array keys = directive->get_array();
  patch.erase(kRetainKeys);
  const auto is_retained = [&](std::string_view key) {
    return std::any_of(keys.begin(), keys.end(), [&](const json::value& retained) {
      return retained.is_string() && view_of(retained.get_string()) == key;
    });
  };
  for (const auto& member : patch) {
    if (!member.value().is_null() && !view_of(member.key()).starts_with('$') &&
        !is_retained(view_of(member.key()))) {
      return Error(ErrorCode::kInvalid,
                   fmt::format("$retainKeys: does not name {}, which the patch sets",
                               api::quoted(view_of(member.key()))));
    }
  }
  for (auto member = target.begin(); member != target.end();) {
    member = is_retained(view_of(member->key())) ? member + 1 : target.erase(member);
  }
  return {};
}

// The directive about list `name`, or nullptr. kInvalid if it is no list.
Result<const json::array*> directive_for(const json::object& patch,
                                         std::string_view prefix,
                                         std::string_view name) {
  const json::value* directive = patch.if_contains(std::string(prefix).append(name));
  if (directive != nullptr && !directive->is_array()) {
    return Error(ErrorCode::kInvalid, fmt::format("{}{}: must be a list", prefix, name));
  }
  return directive != nullptr ? &directive->get_array() : nullptr;
}

Result<void> merge_list_member(json::object& target,
                               std::string_view name,
                               json::object& patch,
                               const MergeRule& rule) {
  ListPatch list;
  BERTH_TRY(list.order, directive_for(patch, kOrderPrefix, name));
  BERTH_TRY(list.removals, directive_for(patch, kRemovalsPrefix, name));
  if (json::value* items = patch.if_contains(name)) {
    list.items = std::move(items->get_array());
  }
  json::value& place = target[name];
  if (!place.is_array()) {
    place.emplace_array();
  }
  return merge_list(place.get_array(), std::move(list), rule);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
Result<void> merge_member(json::object& target,
                          std::string_view name,
                          json::object& patch,
                          const api::Type* type) {
  json::value& change = patch.at(name);
  const MergeRule rule = rule_of(type, name);
  if (change.is_null()) {
    target.erase(name);
    return {};
  }
  if (change.is_array() && rule.merges_lists()) {
    return merge_list_member(target, name, patch, rule);
  }
  const bool is_opaque = rule.type != nullptr && rule.type->shape == api::Shape::kRawJson;
  if (!change.is_object() || rule.strategy == api::PatchStrategy::kReplace || is_opaque) {
    target[name] = std::move(change);
    return {};
  }
  json::value& place = target[name];
  if (!place.is_object()) {
    place.emplace_object();
  }
  return merge_object(place.get_object(), std::move(change.get_object()), rule.type);
}

// Directives about lists that the patch itself does not have.
Result<void> apply_list_directives(json::object& target,
                                   json::object& patch,
                                   const std::vector<std::string>& lists,
                                   const api::Type* type) {
  for (const std::string& name : lists) {
    const MergeRule rule = rule_of(type, name);
    if (patch.contains(name) || !rule.merges_lists() || find_array(target, name) == nullptr) {
      continue;  // done with the list, or there is nothing to order or remove
    }
    if (auto merged = merge_list_member(target, name, patch, rule); !merged) {
      return merged;
    }
  }
  return {};
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
Result<void> merge_object(json::object& target, json::object patch, const api::Type* type) {
  if (const json::value* directive = patch.if_contains(kPatchDirective)) {
    const bool is_replace = *directive == "replace";
    if (!is_replace && *directive != "delete" && *directive != "merge") {
      return Error(ErrorCode::kInvalid, "$patch: must be replace, delete or merge");
    }
    if (*directive != "merge") {
      target.clear();
    }
    if (*directive == "delete") {
      return {};
    }
    patch.erase(kPatchDirective);
    if (is_replace) {
      target = std::move(patch);
      return {};
    }
  }
  if (auto retained = retain_keys(target, patch); !retained) {
    return retained;
  }
  std::vector<std::string> directives;
  for (auto& member : patch) {
    const std::string_view name = view_of(member.key());
    if (name.starts_with(kOrderPrefix)) {
      directives.emplace_back(name.substr(kOrderPrefix.size()));
    } else if (name.starts_with(kRemovalsPrefix)) {
      directives.emplace_back(name.substr(kRemovalsPrefix.size()));
    } else if (auto merged = merge_member(target, name, patch, type); !merged) {
      return std::move(merged).error().in(name);
    }
  }
  return apply_list_directives(target, patch, directives, type);
}

Result<void> apply_strategic_merge(json::object& document,
                                   json::value patch,
                                   const api::Type& type) {
  if (!patch.is_object()) {
    return Error(ErrorCode::kInvalid, "a strategic merge patch must be a JSON object");
  }
  return merge_object(document, std::move(patch.get_object()), &type);
}

}  // namespace berth::world
