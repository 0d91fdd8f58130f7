// POST pods/NAME/binding: puts a pod onto a node, once. Whatever stands against it is a conflict.
#include "api/objects/binding.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/store.h"
#include "world/subresource_internal.h"
#include "world/tree_internal.h"
#include "world/version_internal.h"
#include "world/writes_internal.h"

namespace berth::world {
namespace {

Error conflict(const KindRules& rules, const kube::ObjectKey& key, std::string_view why) {
  return {ErrorCode::kConflict, fmt::format("{}: {}", described(rules, key), why)};
}

Result<void> check_pod(const KindRules& rules,
                       const kube::ObjectKey& key,
                       const Version& pod,
                       const json::object& binding) {
  const json::object& wanted = metadata_of(binding);
  const std::string_view uid = text_in(wanted, "uid");
  if (!uid.empty() && uid != text_in(pod.metadata(), "uid")) {
    return conflict(rules, key, "the uid in the binding is another pod's");
  }
  const std::string_view version = text_in(wanted, "resourceVersion");
  if (!version.empty() && version != text_in(pod.metadata(), "resourceVersion")) {
    return conflict(rules, key, "the resourceVersion in the binding has passed");
  }
  if (pod.is_deleting()) {
    return conflict(rules, key, "the pod is being deleted, cannot be assigned to a host");
  }
  const json::value* node = find_at(pod.tree(), "spec.nodeName");
  if (node != nullptr && *node != "") {
    return conflict(rules, key, "the pod is already assigned to a node");
  }
  const json::value* gates = find_at(pod.tree(), "spec.schedulingGates");
  if (gates != nullptr && gates->is_array() && !gates->get_array().empty()) {
    return conflict(rules, key, "the pod has scheduling gates");
  }
  return {};
}

// Annotations of the binding count more than the pod's, labels less; so upstream.
void copy_metadata(json::object& pod, const json::object& binding) {
  json::object& metadata = object_in(pod, "metadata");
  if (const json::object* annotations = find_object(metadata_of(binding), "annotations")) {
    for (const auto& annotation : *annotations) {
      object_in(metadata, "annotations")[annotation.key()] = annotation.value();
    }
  }
  if (const json::object* labels = find_object(metadata_of(binding), "labels")) {
    for (const auto& label : *labels) {
      object_in(metadata, "labels").emplace(label.key(), label.value());
    }
  }
}

void set_scheduled(json::object& pod, const std::string& now) {
  json::object& status = object_in(pod, "status");
  json::value& conditions = status["conditions"];
  if (!conditions.is_array()) {
    conditions.emplace_array();
  }
  json::object scheduled{{"type", "PodScheduled"},
                         {"status", "True"},
                         {"lastProbeTime", nullptr},
                         {"lastTransitionTime", now}};
  for (json::value& condition : conditions.get_array()) {
    if (condition.is_object() && text_in(condition.get_object(), "type") == "PodScheduled") {
      condition = std::move(scheduled);
      return;
    }
  }
  conditions.get_array().push_back(std::move(scheduled));
}

}  // namespace

Result<std::string> bind_pod(Ledger& ledger, const kube::CreateRequest& request) {
  const KindRules& rules = *find_rules(api::Pod::kKind);
  BERTH_TRY(const json::object binding,
            parse_subresource(request.body, api::Binding::kKind, request.key));
  const json::object* target = find_object(binding, "target");
  const std::string_view node = target != nullptr ? text_in(*target, "name") : std::string_view();
  if (node.empty()) {
    return Error(ErrorCode::kInvalid, "target.name: Required value");
  }
  if (const auto kind = text_in(*target, "kind"); !kind.empty() && kind != "Node") {
    return Error(ErrorCode::kInvalid, "target.kind: must be Node");
  }
  const VersionPtr current = ledger.find(rules, request.key);
  if (current == nullptr) {
    return not_found(rules, request.key);
  }
  if (auto possible = check_pod(rules, request.key, *current, binding); !possible) {
    return std::move(possible).error();
  }
  json::object pod = current->tree();
  object_in(pod, "spec")["nodeName"] = node;
  copy_metadata(pod, binding);
  set_scheduled(pod, ledger.now_text());
  ledger.change(rules, request.key, std::move(pod));
  return success_status();
}

}  // namespace berth::world
