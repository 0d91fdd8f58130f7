// Patching an object: the patch says what somebody wants, and this says what of it they may.
//
// The patched document is held against the one before. A resourceVersion that differs is a
// precondition that fails; a name, namespace or uid that differs is a mistake. What belongs to the
// server (creation and deletion, generation) is put back without a word, and so is the half of the
// object that the request was not sent to: status, or everything but status.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "api/type.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/metadata_internal.h"
#include "world/patch_internal.h"
#include "world/store.h"
#include "world/tree_internal.h"
#include "world/version_internal.h"
#include "world/writes_internal.h"

namespace berth::world {
namespace {

constexpr std::string_view kStatus = "status";

// Mostly nothing was changed, and comparing costs less than copying.
void put_back(json::object& tree, const json::object& before, std::string_view member) {
  const json::value* value = before.if_contains(member);
  if (value == nullptr) {
    tree.erase(member);
  } else if (const json::value* changed = tree.if_contains(member);
             changed == nullptr || !same(*changed, *value)) {
    tree[member] = *value;
  }
}

Error immutable(std::string_view member) {
  return {ErrorCode::kInvalid, fmt::format("metadata.{}: field is immutable", member)};
}

Result<void> check_identity(const json::object& metadata, const json::object& before) {
  const std::string_view version = text_in(metadata, "resourceVersion");
  if (!version.empty() && version != text_in(before, "resourceVersion")) {
    return Error(ErrorCode::kConflict,
                 "the object has been modified; please apply your changes to the latest version");
  }
  for (const std::string_view member : {"name", "namespace"}) {
    if (text_in(metadata, member) != text_in(before, member)) {
      return immutable(member);
    }
  }
  const std::string_view uid = text_in(metadata, "uid");
  if (!uid.empty() && uid != text_in(before, "uid")) {
    return immutable("uid");
  }
  return {};
}

Result<void> check_deletion(const json::object& metadata, const json::object& before) {
  const bool is_deleting = before.contains("deletionTimestamp");
  if (!is_deleting) {
    for (const std::string_view member : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
      if (metadata.contains(member)) {
        return immutable(member);
      }
    }
    return {};
  }
  const json::value* grace = metadata.if_contains("deletionGracePeriodSeconds");
  if (grace != nullptr && *grace != *before.if_contains("deletionGracePeriodSeconds")) {
    return immutable("deletionGracePeriodSeconds");
  }
  const std::vector<std::string_view> old = finalizers_of(before);
  for (const std::string_view finalizer : finalizers_of(metadata)) {
    if (std::find(old.begin(), old.end(), finalizer) == old.end()) {
      return Error(ErrorCode::kInvalid,
                   "metadata.finalizers: Forbidden: no new finalizers can be added if the object "
                   "is being deleted");
    }
  }
  return {};
}

// Everything the request could not mean to change is as before afterwards.
void put_back_the_rest(json::object& tree,
                       const json::object& before,
                       const KindRules& rules,
                       std::string_view subresource) {
  json::object& metadata = object_in(tree, "metadata");
  for (const std::string_view member : {"resourceVersion",
                                        "uid",
                                        "creationTimestamp",
                                        "deletionTimestamp",
                                        "deletionGracePeriodSeconds",
                                        "generation",
                                        "selfLink"}) {
    put_back(metadata, metadata_of(before), member);
  }
  if (subresource != kStatus) {
    if (rules.has_status) {
      put_back(tree, before, kStatus);
    }
    if (rules.is(api::Namespace::kKind)) {
      put_back(tree, before, "spec");  // its finalizers, and there is nothing else in it
    }
    return;
  }
  if (rules.is(api::Pod::kKind)) {
    put_back(metadata, metadata_of(before), "ownerReferences");
  }
  const auto may_change = [&](std::string_view member) {
    return member == kStatus || (member == "metadata" && !rules.status_leaves_metadata);
  };
  for (const auto& member : before) {
    if (!may_change(view_of(member.key()))) {
      put_back(tree, before, view_of(member.key()));
    }
  }
  for (auto member = tree.begin(); member != tree.end();) {
    const bool is_new = !may_change(view_of(member->key())) && !before.contains(member->key());
    member = is_new ? tree.erase(member) : member + 1;
  }
}

// Whether what is wished for differs: everything but metadata and, where it has a subresource of
// its own, status.
bool wishes_differ(const json::object& tree, const json::object& before, const KindRules& rules) {
  const auto is_wish = [&](std::string_view member) {
    return member != "metadata" && !(rules.has_status && member == kStatus);
  };
  const auto differs = [&](const auto& member) {
    const json::value* other = before.if_contains(member.key());
    return is_wish(view_of(member.key())) && (other == nullptr || !same(*other, member.value()));
  };
  const auto is_missing = [&](const auto& member) {
    return is_wish(view_of(member.key())) && !tree.contains(member.key());
  };
  return std::any_of(tree.begin(), tree.end(), differs) ||
         std::any_of(before.begin(), before.end(), is_missing);
}

// The patched document made one that may be stored.
Result<void> accept_update(json::object& tree,
                           const json::object& before,
                           const KindRules& rules,
                           std::string_view subresource) {
  const json::value* sent = tree.if_contains("metadata");
  if (sent == nullptr || !sent->is_object()) {
    return Error(ErrorCode::kInvalid, "metadata: must be an object");
  }
  json::object& metadata = object_in(tree, "metadata");
  drop_nulls(metadata);
  if (auto same = check_kind(tree, rules.kind()); !same) {
    return same;
  }
  if (auto same = check_identity(metadata, metadata_of(before)); !same) {
    return same;
  }
  if (auto valid = check_metadata(metadata, &metadata_of(before)); !valid) {
    return valid;
  }
  if (auto valid = check_deletion(metadata, metadata_of(before)); !valid) {
    return valid;
  }
  put_back_the_rest(tree, before, rules, subresource);
  tree["kind"] = rules.kind().name;
  tree["apiVersion"] = rules.api_version;
  if (rules.is(api::Pod::kKind)) {
    const json::value* node = find_at(tree, "spec.nodeName");
    const json::value* node_before = find_at(before, "spec.nodeName");
    if ((node == nullptr) != (node_before == nullptr) ||
        (node != nullptr && *node != *node_before)) {
      return Error(ErrorCode::kInvalid, "spec.nodeName: Forbidden: only a binding may set it");
    }
  }
  if (rules.has_generation && subresource != kStatus && wishes_differ(tree, before, rules)) {
    json::object& accepted = object_in(tree, "metadata");
    accepted["generation"] = find_integer(accepted, "generation").value_or(0) + 1;
  }
  return {};
}

Result<void> apply(json::object& tree,
                   const KindRules& rules,
                   kube::PatchType type,
                   json::value patch) {
  switch (type) {
    case kube::PatchType::kJson:
      return apply_json_patch(tree, patch);
    case kube::PatchType::kMerge:
      return apply_merge_patch(tree, std::move(patch));
    case kube::PatchType::kStrategic:
      break;
  }
  if (rules.is_custom()) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("{} have no strategic merge patch: nothing says how their lists merge",
                             rules.kind().plural));
  }
  const api::Type document{.shape = api::Shape::kStruct, .size = 0, .table = rules.entry->table};
  return apply_strategic_merge(tree, std::move(patch), document);
}

// A patch may be small and what it makes large. Only what can have become too large is measured:
// writing it costs as much as the rest of the patch.
Result<void> check_size(const json::object& tree,
                        const Version& before,
                        const kube::PatchRequest& request) {
  const std::size_t copied = request.type == kube::PatchType::kJson ? kBodyLenMax : 0;
  // Numbers may be written longer than they were read, not twice as long.
  const bool may_be_large = before.text().size() + 2 * request.body.size() + copied > kBodyLenMax;
  if (may_be_large && json::serialize(tree).size() > kBodyLenMax) {
    return Error(ErrorCode::kLimit, "the patched object is larger than 3 MiB");
  }
  return {};
}

// Its deletion waited for nothing but the finalizers that are gone now.
bool goes_now(const json::object& metadata) {
  return !text_in(metadata, "deletionTimestamp").empty() && finalizers_of(metadata).empty() &&
         find_integer(metadata, "deletionGracePeriodSeconds").value_or(0) == 0;
}

}  // namespace

Result<std::string> patch_object(Ledger& ledger,
                                 const KindRules& rules,
                                 const kube::PatchRequest& request) {
  const bool is_known =
      request.subresource.empty() || (request.subresource == kStatus && rules.has_status);
  if (!is_known) {
    return Error(ErrorCode::kNotFound,
                 fmt::format("{} have no subresource '{}' that can be patched",
                             rules.kind().plural,
                             request.subresource));
  }
  BERTH_TRY(json::value patch, parse_body(request.body));
  const VersionPtr current = ledger.find(rules, request.key);
  if (current == nullptr) {
    return not_found(rules, request.key);
  }
  json::object tree = current->tree();
  if (auto applied = apply(tree, rules, request.type, std::move(patch)); !applied) {
    return std::move(applied).error().in(described(rules, request.key));
  }
  if (auto accepted = accept_update(tree, current->tree(), rules, request.subresource); !accepted) {
    return std::move(accepted).error().in(described(rules, request.key));
  }
  if (same(tree, current->tree())) {
    return current->text();
  }
  if (auto fits = check_size(tree, *current, request); !fits) {
    return std::move(fits).error().in(described(rules, request.key));
  }
  // A namespace waits for its content too, see finish_deletion().
  if (goes_now(metadata_of(tree)) && !rules.is(api::Namespace::kKind)) {
    ledger.remove(rules, request.key);
    return json::serialize(tree);
  }
  return ledger.change(rules, request.key, std::move(tree))->text();
}

}  // namespace berth::world
