// Creating an object: what the server fills in, and what it takes no notice of.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/workload.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/metadata_internal.h"
#include "world/names.h"
#include "world/store.h"
#include "world/tree_internal.h"
#include "world/writes_internal.h"

namespace berth::world {
namespace {

// How often another name is drawn when the generated one is taken, as in a kube-apiserver.
constexpr int kGenerateTries = 8;

Result<void> check_namespace(const Ledger& ledger, const std::string& ns) {
  const KindRules& namespaces = *find_rules(api::Namespace::kKind);
  const kube::ObjectKey key{.ns = "", .name = ns};
  const VersionPtr found = ledger.find(namespaces, key);
  if (found == nullptr) {
    return not_found(namespaces, key);
  }
  if (found->is_deleting()) {
    return Error(ErrorCode::kForbidden,
                 fmt::format("unable to create new content in namespace {} because it is being "
                             "terminated",
                             ns));
  }
  return {};
}

Result<kube::ObjectKey> choose_key(Ledger& ledger,
                                   const KindRules& rules,
                                   const json::object& metadata,
                                   const std::string& ns) {
  const std::string_view name = text_in(metadata, "name");
  const std::string_view prefix = text_in(metadata, "generateName");
  if (name.empty() && prefix.empty()) {
    return Error(ErrorCode::kInvalid, "metadata.name: name or generateName is required");
  }
  kube::ObjectKey key{.ns = ns, .name = std::string(name)};
  for (int tries = 0; name.empty() && tries < kGenerateTries; ++tries) {
    key.name = generated_name(prefix, ledger.random());
    if (ledger.find(rules, key) == nullptr) {
      break;
    }
  }
  if (auto valid = check_name(rules, key.name); !valid) {
    return std::move(valid).error();
  }
  if (ledger.find(rules, key) != nullptr) {
    return Error(ErrorCode::kExists, described(rules, key) + " already exists");
  }
  return key;
}

// A body's status counts only where the kind says so. Pods, volumes and claims begin as Pending.
void set_first_status(json::object& tree, const KindRules& rules) {
  if (rules.has_status && !rules.keeps_status_on_create) {
    tree.erase("status");
  }
  if (!rules.first_phase.empty()) {
    object_in(tree, "status")["phase"] = rules.first_phase;
  }
  if (rules.is(api::Namespace::kKind)) {
    object_in(tree, "spec")["finalizers"] = json::array{"kubernetes"};
  }
}

void fill_in(json::object& tree,
             const KindRules& rules,
             const kube::ObjectKey& key,
             Ledger& ledger) {
  tree["kind"] = rules.kind().name;
  tree["apiVersion"] = rules.api_version;
  json::object& metadata = object_in(tree, "metadata");
  metadata["name"] = key.name;
  metadata.erase("namespace");
  if (!key.ns.empty()) {
    metadata["namespace"] = key.ns;
  }
  metadata["uid"] = new_uid(ledger.random());
  metadata["creationTimestamp"] = ledger.now_text();
  for (const std::string_view ours :
       {"generation", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    metadata.erase(ours);
  }
  if (rules.has_generation) {
    metadata["generation"] = 1;
  }
  set_first_status(tree, rules);
}

}  // namespace

Result<std::string> create_object(Ledger& ledger,
                                  const KindRules& rules,
                                  const kube::CreateRequest& request) {
  BERTH_TRY(json::object tree, parse_object(request.body));
  if (auto same = check_kind(tree, rules.kind()); !same) {
    return std::move(same).error();
  }
  const json::value* sent = tree.if_contains("metadata");
  if (sent != nullptr && !sent->is_object()) {
    return Error(ErrorCode::kInvalid, "metadata: must be an object");
  }
  json::object& metadata = object_in(tree, "metadata");
  drop_nulls(metadata);
  if (const auto ns = text_in(metadata, "namespace"); !ns.empty() && ns != request.key.ns) {
    return Error(ErrorCode::kInvalid, "metadata.namespace: is not that of the request");
  }
  if (!text_in(metadata, "resourceVersion").empty()) {
    return Error(ErrorCode::kInvalid,
                 "metadata.resourceVersion: must not be set on an object to be created");
  }
  if (auto valid = check_metadata(metadata, nullptr); !valid) {
    return std::move(valid).error();
  }
  if (rules.is_namespaced()) {
    if (auto open = check_namespace(ledger, request.key.ns); !open) {
      return std::move(open).error();
    }
  }
  BERTH_TRY(const kube::ObjectKey key, choose_key(ledger, rules, metadata, request.key.ns));
  fill_in(tree, rules, key, ledger);
  return ledger.add(rules, key, std::move(tree))->text();
}

}  // namespace berth::world
