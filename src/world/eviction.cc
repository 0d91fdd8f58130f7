// POST pods/NAME/eviction: a deletion that asks the disruption budget first.
//
// Pods that do not count for a budget go without asking: those that have ended, have not begun, or
// are being deleted. unhealthyPodEvictionPolicy is not looked at: every other pod counts as
// healthy.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/members.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "api/rules/label_selector.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/metadata_internal.h"
#include "world/store.h"
#include "world/subresource_internal.h"
#include "world/tree_internal.h"
#include "world/version_internal.h"
#include "world/writes_internal.h"

namespace berth::world {
namespace {

// How long to wait for the controller that works on the budget, as upstream says.
constexpr std::chrono::seconds kBudgetDelay{10};

bool needs_no_budget(const Version& pod) {
  const json::value* phase = find_at(pod.tree(), "status.phase");
  return pod.is_deleting() ||
         (phase != nullptr && (*phase == "Pending" || *phase == "Succeeded" || *phase == "Failed"));
}

api::StringMap labels_of(const Version& pod) {
  api::StringMap labels;
  if (const json::object* found = find_object(pod.metadata(), "labels")) {
    for (const auto& label : *found) {
      labels.emplace(view_of(label.key()), view_of(label.value().get_string()));
    }
  }
  return labels;
}

bool covers(const Version& budget, const api::StringMap& labels) {
  const auto object = api::from_json<api::PodDisruptionBudget>(budget.text());
  if (!object) {
    return false;
  }
  const auto selector = api::CompiledLabelSelector::compile(object->spec.selector);
  return selector.has_value() && selector->matches(labels);
}

std::vector<kube::ObjectKey> budgets_for(const Ledger& ledger,
                                         const std::string& ns,
                                         const Version& pod) {
  std::vector<kube::ObjectKey> budgets;
  const api::StringMap labels = labels_of(pod);
  ledger.visit(*find_rules(api::PodDisruptionBudget::kKind),
               {.ns = ns, .name = ""},
               ledger.resource_version(),
               [&](const kube::ObjectKey& key, const VersionPtr& budget) {
                 if (key.ns != ns) {
                   return false;
                 }
                 if (covers(*budget, labels)) {
                   budgets.push_back(key);
                 }
                 return true;
               });
  return budgets;
}

// Takes one disruption from the budget.
Result<void> spend(Ledger& ledger, const kube::ObjectKey& key, const std::string& pod) {
  const KindRules& rules = *find_rules(api::PodDisruptionBudget::kKind);
  json::object budget = ledger.find(rules, key)->tree();
  const std::int64_t generation = find_integer(metadata_of(budget), "generation").value_or(0);
  json::object& status = object_in(budget, "status");
  if (find_integer(status, "observedGeneration").value_or(0) < generation) {
    return Error(ErrorCode::kTooManyRequests,
                 fmt::format("the disruption budget {} is still being processed", key.name))
        .with_retry_after(kBudgetDelay);
  }
  const std::int64_t allowed = find_integer(status, "disruptionsAllowed").value_or(0);
  if (allowed <= 0) {
    return Error(ErrorCode::kTooManyRequests,
                 fmt::format("the disruption budget {} allows no disruption now", key.name));
  }
  status["disruptionsAllowed"] = allowed - 1;
  object_in(status, "disruptedPods")[pod] = ledger.now_text();
  ledger.change(rules, key, std::move(budget));
  return {};
}

// What is absent or null is not asked for; what is of another type is refused, as by who decodes
// it.
Result<Deletion> deletion_of(const json::object& eviction) {
  Deletion deletion;
  const json::value* sent = find_at(eviction, "deleteOptions");
  if (sent == nullptr) {
    return deletion;
  }
  if (!sent->is_object()) {
    return Error(ErrorCode::kInvalid, "deleteOptions: must be an object");
  }
  const json::object& options = sent->get_object();
  deletion.grace_period_seconds = find_integer(options, "gracePeriodSeconds");
  if (find_at(options, "gracePeriodSeconds") != nullptr && !deletion.grace_period_seconds) {
    return Error(ErrorCode::kInvalid, "deleteOptions.gracePeriodSeconds: must be an integer");
  }
  const json::value* preconditions = find_at(options, "preconditions");
  if (preconditions == nullptr) {
    return deletion;
  }
  if (!preconditions->is_object()) {
    return Error(ErrorCode::kInvalid, "deleteOptions.preconditions: must be an object");
  }
  const json::object& wanted = preconditions->get_object();
  if (auto valid = check_texts(wanted, "deleteOptions.preconditions", {"uid", "resourceVersion"});
      !valid) {
    return std::move(valid).error();
  }
  deletion.uid = text_in(wanted, "uid");
  deletion.resource_version = text_in(wanted, "resourceVersion");
  return deletion;
}

}  // namespace

Result<std::string> evict_pod(Ledger& ledger, const kube::CreateRequest& request) {
  const KindRules& rules = *find_rules(api::Pod::kKind);
  BERTH_TRY(const json::object eviction,
            parse_subresource(request.body, api::Eviction::kKind, request.key));
  BERTH_TRY(const Deletion deletion, deletion_of(eviction));
  const VersionPtr pod = ledger.find(rules, request.key);
  if (pod == nullptr) {
    return not_found(rules, request.key);
  }
  if (auto holds = check_preconditions(rules, request.key, *pod, deletion); !holds) {
    return std::move(holds).error();
  }
  if (!needs_no_budget(*pod)) {
    const std::vector<kube::ObjectKey> budgets = budgets_for(ledger, request.key.ns, *pod);
    if (budgets.size() > 1) {
      return Error(ErrorCode::kServerError,
                   "the pod has more than one disruption budget, which an eviction cannot ask");
    }
    if (!budgets.empty()) {
      if (auto spent = spend(ledger, budgets.front(), request.key.name); !spent) {
        return std::move(spent).error();
      }
    }
  }
  if (auto deleted = delete_object(ledger, rules, request.key, deletion); !deleted) {
    return std::move(deleted).error();
  }
  return success_status();
}

}  // namespace berth::world
