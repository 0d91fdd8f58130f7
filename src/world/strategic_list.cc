// Strategic merge of lists: elements are told apart by a merge key, or are scalars of a set.
//
// An element of the patch merges into the one with its key or is added. {"$patch": "delete"} beside
// the key removes it; {"$patch": "replace"} anywhere makes the patch the whole list.
// $setElementOrder names elements in the order they are to stand, and without it the patch itself
// does. What is not named, since its author did not know of it, keeps its place relative to those
// that it stood behind. (As Kubernetes' strategicpatch: an element that is new goes before one that
// was there and is not named, unless a named one stands between.)
#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <string_view>
#include <utility>

#include "api/type.h"
#include "base/error.h"
#include "base/result.h"
#include "world/strategic_internal.h"
#include "world/tree_internal.h"

namespace berth::world {
namespace {

// Elements are searched one by one: how many steps a patch may cause.
constexpr std::size_t kStepsMax = 10'000'000;

Error invalid(const char* text) {
  return {ErrorCode::kInvalid, text};
}

// What tells an element from others: the value of its merge key, or itself. nullptr: nothing does.
const json::value* identity_of(const json::value& element, std::string_view merge_key) {
  if (merge_key.empty()) {
    return &element;
  }
  const json::object* object = element.if_object();
  return object != nullptr ? object->if_contains(merge_key) : nullptr;
}

constexpr std::size_t kNone = ~std::size_t{0};

std::size_t find_in(const json::array& list,
                    const json::value& identity,
                    std::string_view merge_key) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const json::value* other = identity_of(list[i], merge_key);
    if (other != nullptr && *other == identity) {
      return i;
    }
  }
  return kNone;
}

void remove_all(json::array& list, const json::value& identity, std::string_view merge_key) {
  for (std::size_t i = find_in(list, identity, merge_key); i != kNone;
       i = find_in(list, identity, merge_key)) {
    list.erase(list.begin() + i);
  }
}

// The list with nothing of its elements but what tells them apart.
json::array outline_of(const json::array& list, std::string_view merge_key) {
  json::array outline;
  for (const json::value& element : list) {
    const json::value* identity = identity_of(element, merge_key);
    if (identity != nullptr && merge_key.empty()) {
      outline.push_back(*identity);
    } else if (identity != nullptr) {
      outline.push_back(json::object{{merge_key, *identity}});
    }
  }
  return outline;
}

std::string_view directive_of(const json::value& element) {
  const json::object* object = element.if_object();
  return object != nullptr ? text_in(*object, kPatchDirective) : std::string_view();
}

// The patch is the whole list.
void replace_list(json::array& target, json::array items) {
  target.clear();
  for (json::value& item : items) {
    if (directive_of(item).empty()) {
      target.push_back(std::move(item));
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
Result<void> merge_keyed(json::array& target,
                         json::array items,
                         std::string_view merge_key,
                         const api::Type* type) {
  for (json::value& item : items) {
    const json::value* identity = identity_of(item, merge_key);
    if (identity == nullptr) {
      return invalid("an element of the patch has no merge key");
    }
    const std::string_view directive = directive_of(item);
    if (directive == "delete") {
      remove_all(target, json::value(*identity), merge_key);
      continue;
    }
    if (!directive.empty()) {
      return invalid("$patch: an element can be deleted, or the list be replaced");
    }
    std::size_t place = find_in(target, *identity, merge_key);
    if (place == kNone) {
      place = target.size();
      target.emplace_back(json::object_kind);
    }
    auto merged = merge_object(target[place].get_object(), std::move(item.get_object()), type);
    if (!merged) {
      return merged;
    }
  }
  return {};
}

void merge_set(json::array& target, json::array items, const json::array* removals) {
  if (removals != nullptr) {
    for (const json::value& removed : *removals) {
      remove_all(target, removed, "");
    }
  }
  for (json::value& item : items) {
    if (find_in(target, item, "") == kNone) {
      target.push_back(std::move(item));
    }
  }
}

// What the patch changes must be named by the order, in the same order.
Result<void> check_order(const json::array& items,
                         const json::array& order,
                         std::string_view merge_key) {
  std::size_t next = 0;
  for (const json::value& item : items) {
    const json::value* identity = identity_of(item, merge_key);
    if (identity == nullptr || !directive_of(item).empty()) {
      continue;
    }
    const std::size_t place = find_in(order, *identity, merge_key);
    if (place == kNone || place < next) {
      return invalid("the order of the patch is not that of $setElementOrder");
    }
    next = place;
  }
  return {};
}

void reorder(json::array& list,
             const json::array& before,
             const json::array& order,
             std::string_view merge_key) {
  json::array named;
  for (const json::value& entry : order) {
    const json::value* identity = identity_of(entry, merge_key);
    const std::size_t place = identity != nullptr ? find_in(list, *identity, merge_key) : kNone;
    if (place != kNone) {
      named.push_back(std::move(list[place]));
      list.erase(list.begin() + place);
    }
  }
  const auto place_before = [&](const json::value& element) {
    const json::value* identity = identity_of(element, merge_key);
    return identity != nullptr ? find_in(before, *identity, merge_key) : kNone;
  };
  json::array unnamed = std::exchange(list, {});
  auto next = unnamed.begin();
  for (json::value& element : named) {
    const std::size_t place = place_before(element);
    while (place != kNone && next != unnamed.end() && place_before(*next) < place) {
      list.push_back(std::move(*next++));
    }
    list.push_back(std::move(element));
  }
  for (; next != unnamed.end(); ++next) {
    list.push_back(std::move(*next));
  }
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
Result<void> merge_list(json::array& target, ListPatch patch, const MergeRule& rule) {
  const std::size_t removals = patch.removals != nullptr ? patch.removals->size() : 0;
  const std::size_t ordered = patch.order != nullptr ? patch.order->size() : patch.items.size();
  const std::size_t sent = patch.items.size() + removals + ordered;
  if ((target.size() + sent) * (sent + 1) > kStepsMax) {
    return Error(ErrorCode::kLimit, "the lists are too long to be merged");
  }
  const bool is_replaced =
      std::any_of(patch.items.begin(), patch.items.end(), [](const json::value& item) {
        return directive_of(item) == "replace";
      });
  if (is_replaced) {
    replace_list(target, std::move(patch.items));
    return {};
  }
  if (patch.order != nullptr) {
    if (auto valid = check_order(patch.items, *patch.order, rule.merge_key); !valid) {
      return valid;
    }
  }
  const json::array before = outline_of(target, rule.merge_key);
  const json::array order =
      outline_of(patch.order != nullptr ? *patch.order : patch.items, rule.merge_key);
  if (rule.merge_key.empty()) {
    merge_set(target, std::move(patch.items), patch.removals);
  } else {
    const api::Type* element = rule.type != nullptr ? rule.type->element : nullptr;
    auto merged = merge_keyed(target, std::move(patch.items), rule.merge_key, element);
    if (!merged) {
      return merged;
    }
  }
  reorder(target, before, order, rule.merge_key);
  return {};
}

}  // namespace berth::world
