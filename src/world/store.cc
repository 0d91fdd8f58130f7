#include "world/store.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/list_internal.h"
#include "world/selector_internal.h"
#include "world/writes_internal.h"

namespace berth::world {

struct Store::Parts {
  Ledger ledger;
};

Result<const KindRules*> rules_for(const api::Kind* kind, const std::string& ns) {
  BERTH_ASSERT(kind != nullptr, "a request names its kind");
  const KindRules* rules = find_rules(*kind);
  if (rules == nullptr) {
    return Error(ErrorCode::kNotFound, fmt::format("objects of kind {} are not kept", kind->name));
  }
  if (rules->is_namespaced() && ns.empty()) {
    return Error(ErrorCode::kInvalid, fmt::format("{} live in a namespace", kind->plural));
  }
  if (!rules->is_namespaced() && !ns.empty()) {
    return Error(ErrorCode::kInvalid, fmt::format("{} live in no namespace", kind->plural));
  }
  return rules;
}

Error not_found(const KindRules& rules, const kube::ObjectKey& key) {
  return {ErrorCode::kNotFound, described(rules, key) + " not found"};
}

std::string success_status() {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})";
}

Store::Store(Options options) : parts_(new Parts{.ledger = Ledger(std::move(options))}) {
  for (const std::string_view name : {"default", "kube-system"}) {
    const auto made = create({.kind = &api::Namespace::kKind,
                              .body = fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)});
    BERTH_ASSERT(made.has_value(), "a new store has room for its namespaces");
  }
}

Store::~Store() = default;

std::uint64_t Store::resource_version() const {
  return parts_->ledger.resource_version();
}

std::uint64_t Store::compacted() const {
  return parts_->ledger.compacted();
}

Result<std::string> Store::get(const kube::GetRequest& request, std::uint64_t at) const {
  BERTH_ASSERT(at <= resource_version(), "nobody knows the future");
  BERTH_TRY(const KindRules* rules, rules_for(request.kind, request.key.ns));
  if (at < compacted()) {
    return Error(ErrorCode::kGone, fmt::format("resourceVersion {} is too old", at));
  }
  const VersionPtr found = parts_->ledger.find(*rules, request.key, at);
  if (found == nullptr) {
    return not_found(*rules, request.key);
  }
  return found->text();
}

Result<kube::ListPage> Store::list(const kube::ListRequest& request, std::uint64_t at) const {
  BERTH_ASSERT(at <= resource_version(), "nobody knows the future");
  BERTH_TRY(const std::shared_ptr<const Selector> selector, compile(request.of));
  return list_objects(parts_->ledger, request, *selector, at);
}

Result<std::string> Store::create(const kube::CreateRequest& request) {
  BERTH_TRY(const KindRules* rules, rules_for(request.kind, request.key.ns));
  if (request.subresource.empty()) {
    return create_object(parts_->ledger, *rules, request);
  }
  const bool is_pod = rules->is(api::Pod::kKind);
  if (is_pod && request.subresource == "binding") {
    return bind_pod(parts_->ledger, request);
  }
  if (is_pod && request.subresource == "eviction") {
    return evict_pod(parts_->ledger, request);
  }
  return Error(ErrorCode::kNotFound,
               fmt::format("{} have no subresource '{}' that can be created",
                           rules->kind().plural,
                           request.subresource));
}

Result<std::string> Store::patch(const kube::PatchRequest& request) {
  BERTH_TRY(const KindRules* rules, rules_for(request.kind, request.key.ns));
  return patch_object(parts_->ledger, *rules, request);
}

Result<void> Store::remove(const kube::RemoveRequest& request) {
  BERTH_TRY(const KindRules* rules, rules_for(request.kind, request.key.ns));
  return delete_object(parts_->ledger,
                       *rules,
                       request.key,
                       {.uid = request.uid,
                        .resource_version = request.resource_version,
                        .grace_period_seconds = request.grace_period_seconds});
}

Result<void> Store::finish_deletion(const api::Kind& kind, const kube::ObjectKey& key) {
  BERTH_TRY(const KindRules* rules, rules_for(&kind, key.ns));
  return finish_deletion_of(parts_->ledger, *rules, key);
}

void Store::compact(std::uint64_t resource_version) {
  parts_->ledger.compact(resource_version);
}

const Change* Store::change_after(std::uint64_t resource_version) const {
  return parts_->ledger.change_after(resource_version);
}

std::uint64_t Store::on_change(std::function<void()> observer) {
  return parts_->ledger.on_change(std::move(observer));
}

void Store::forget_observer(std::uint64_t observer) {
  parts_->ledger.forget_observer(observer);
}

Result<std::shared_ptr<const Selector>> Store::compile(const kube::Selection& selection) const {
  // No namespace means all of them, so only a namespace that cannot be is refused.
  BERTH_ASSERT(selection.kind != nullptr, "a selection names its kind");
  const bool is_namespaced = selection.kind->scope == api::Scope::kNamespaced;
  BERTH_TRY(
      const KindRules* rules,
      rules_for(selection.kind, is_namespaced && selection.ns.empty() ? "any" : selection.ns));
  BERTH_TRY(auto labels, parse_label_selector(selection.label_selector));
  BERTH_TRY(auto fields, parse_field_selector(selection.field_selector, *rules));
  return std::shared_ptr<const Selector>(
      std::make_shared<Selector>(*rules, selection.ns, std::move(labels), std::move(fields)));
}

}  // namespace berth::world
