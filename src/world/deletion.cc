// Deleting an object takes as many steps as somebody still has something to do with it.
//
// Finalizers: the object is marked (deletionTimestamp) and goes with the patch that takes the last
// one away. Pods on a node: marked with a deletionTimestamp in the future; whoever plays the
// kubelet deletes again with a grace period of 0. Namespaces: marked until they are empty. The
// generation rises when an object is marked, because from then on something else is wished for.
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "api/time.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/metadata_internal.h"
#include "world/store.h"
#include "world/tree_internal.h"
#include "world/version_internal.h"
#include "world/writes_internal.h"

namespace berth::world {
namespace {

// What a kube-apiserver fills in as spec.terminationGracePeriodSeconds.
constexpr std::int64_t kGraceDefault = 30;

// 292 years, as far as Go's durations go. A kube-apiserver's sums wrap around beyond it.
constexpr std::int64_t kGraceMax = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;

// A kube-apiserver takes what is negative for a second.
std::int64_t valid_grace(std::int64_t seconds) {
  return seconds < 0 ? 1 : std::min(seconds, kGraceMax);
}

// How long a pod may take to end when it is first deleted.
std::int64_t grace_of(const json::object& pod, std::optional<std::int64_t> asked) {
  const json::value* node = find_at(pod, "spec.nodeName");
  const json::value* phase = find_at(pod, "status.phase");
  const bool is_on_node = node != nullptr && *node != "";
  const bool has_ended = phase != nullptr && (*phase == "Succeeded" || *phase == "Failed");
  if (!is_on_node || has_ended) {
    return 0;
  }
  std::int64_t grace = kGraceDefault;
  if (const json::object* spec = find_object(pod, "spec")) {
    grace = find_integer(*spec, "terminationGracePeriodSeconds").value_or(kGraceDefault);
  }
  return valid_grace(asked.value_or(grace));
}

void raise_generation(json::object& metadata) {
  if (const auto generation = find_integer(metadata, "generation")) {
    metadata["generation"] = *generation + 1;
  }
}

// The moment from which a pod may take `grace` seconds.
std::string deadline_text(const Ledger& ledger, std::int64_t grace) {
  return api::to_text(std::chrono::floor<std::chrono::seconds>(ledger.now()) +
                      std::chrono::seconds(grace));
}

// Marks it, or shortens the grace period it has been given. False when there is nothing to change.
bool mark_pod(json::object& pod, const Deletion& deletion, const Ledger& ledger) {
  json::object& metadata = object_in(pod, "metadata");
  if (text_in(metadata, "deletionTimestamp").empty()) {
    const std::int64_t grace = grace_of(pod, deletion.grace_period_seconds);
    metadata["deletionTimestamp"] = deadline_text(ledger, grace);
    metadata["deletionGracePeriodSeconds"] = grace;
    raise_generation(metadata);
    return true;
  }
  const std::int64_t given = find_integer(metadata, "deletionGracePeriodSeconds").value_or(0);
  const std::int64_t asked = valid_grace(deletion.grace_period_seconds.value_or(given));
  if (asked >= given) {
    return false;
  }
  const auto deadline = api::parse_time(text_in(metadata, "deletionTimestamp"));
  if (deadline) {
    metadata["deletionTimestamp"] = api::to_text(
        std::chrono::floor<std::chrono::seconds>(*deadline) - std::chrono::seconds(given - asked));
  }
  metadata["deletionGracePeriodSeconds"] = asked;
  return true;
}

// Marks what goes when its last finalizer goes. False when that was done before.
bool mark(json::object& tree, const KindRules& rules, const Ledger& ledger) {
  json::object& metadata = object_in(tree, "metadata");
  if (!text_in(metadata, "deletionTimestamp").empty()) {
    return false;
  }
  metadata["deletionTimestamp"] = ledger.now_text();
  metadata["deletionGracePeriodSeconds"] = 0;
  raise_generation(metadata);
  if (rules.is(api::Namespace::kKind)) {
    object_in(tree, "status")["phase"] = "Terminating";
  }
  return true;
}

bool is_empty_namespace(const Ledger& ledger, const std::string& ns) {
  bool is_empty = true;
  for (const KindRules& rules : stored_kinds()) {
    if (rules.is_namespaced()) {
      ledger.visit(rules,
                   {.ns = ns, .name = ""},
                   ledger.resource_version(),
                   [&](const kube::ObjectKey& key, const VersionPtr&) {
                     is_empty = is_empty && key.ns != ns;
                     return false;
                   });
    }
  }
  return is_empty;
}

}  // namespace

Result<void> check_preconditions(const KindRules& rules,
                                 const kube::ObjectKey& key,
                                 const Version& current,
                                 const Deletion& deletion) {
  const std::string_view uid = text_in(current.metadata(), "uid");
  if (!deletion.uid.empty() && deletion.uid != uid) {
    return Error(ErrorCode::kConflict,
                 described(rules, key) + ": the uid in the precondition is another one's");
  }
  if (!deletion.resource_version.empty() &&
      deletion.resource_version != std::to_string(current.resource_version())) {
    return Error(ErrorCode::kConflict,
                 described(rules, key) + ": the resourceVersion in the precondition has passed");
  }
  return {};
}

Result<void> delete_object(Ledger& ledger,
                           const KindRules& rules,
                           const kube::ObjectKey& key,
                           const Deletion& deletion) {
  VersionPtr current = ledger.find(rules, key);
  if (current == nullptr) {
    return not_found(rules, key);
  }
  if (auto holds = check_preconditions(rules, key, *current, deletion); !holds) {
    return holds;
  }
  const bool is_pod = rules.is(api::Pod::kKind);
  const bool has_finalizers = !finalizers_of(current->metadata()).empty();
  if (is_pod || has_finalizers || rules.is(api::Namespace::kKind)) {
    json::object tree = current->tree();
    if (is_pod ? mark_pod(tree, deletion, ledger) : mark(tree, rules, ledger)) {
      current = ledger.change(rules, key, std::move(tree));
    }
  }
  const std::int64_t grace =
      find_integer(current->metadata(), "deletionGracePeriodSeconds").value_or(0);
  if (has_finalizers || grace > 0 || rules.is(api::Namespace::kKind)) {
    return {};
  }
  ledger.remove(rules, key);
  return {};
}

Result<void> finish_deletion_of(Ledger& ledger,
                                const KindRules& rules,
                                const kube::ObjectKey& key) {
  const VersionPtr current = ledger.find(rules, key);
  if (current == nullptr) {
    return not_found(rules, key);
  }
  if (!current->is_deleting()) {
    return Error(ErrorCode::kConflict, described(rules, key) + " is not being deleted");
  }
  if (!rules.is(api::Namespace::kKind)) {
    return delete_object(ledger, rules, key, {.grace_period_seconds = 0});
  }
  if (!is_empty_namespace(ledger, key.name)) {
    return Error(ErrorCode::kConflict, described(rules, key) + " is not empty");
  }
  if (finalizers_of(current->metadata()).empty()) {
    ledger.remove(rules, key);
  }
  return {};
}

}  // namespace berth::world
