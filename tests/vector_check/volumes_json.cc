#include "volumes_json.h"

#include <string_view>
#include <utility>

#include "volumes/answer.h"
#include "volumes/plan.h"
#include "volumes/rules.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

// As the scheduling framework calls them.
std::string_view name_of(volumes::Code code) {
  switch (code) {
    case volumes::Code::kSuccess:
      return "Success";
    case volumes::Code::kSkip:
      return "Skip";
    case volumes::Code::kUnschedulable:
      return "Unschedulable";
    case volumes::Code::kUnresolvable:
      return "UnschedulableAndUnresolvable";
    case volumes::Code::kError:
      return "Error";
  }
  return "unknown";
}

}  // namespace

json::object to_json(const volumes::Answer& answer) {
  json::object status{{"code", name_of(answer.code)}};
  if (!answer.reasons.empty()) {
    status["reasons"] = json::array(answer.reasons.begin(), answer.reasons.end());
  }
  return status;
}

void put_plan(json::object& outcome, const volumes::NodePlan& plan) {
  json::array bindings;
  for (const volumes::StaticBinding& binding : plan.bindings) {
    bindings.push_back({json::value(volumes::claim_key(*binding.claim)),
                        json::value(binding.volume->metadata.name)});
  }
  json::array provisions;
  for (const volumes::Provision& provision : plan.provisions) {
    json::value capacity;
    if (provision.capacity) {
      capacity =
          volumes::claim_key(provision.capacity->metadata.ns, provision.capacity->metadata.name);
    }
    provisions.push_back(json::array{volumes::claim_key(*provision.claim), std::move(capacity)});
  }
  if (!bindings.empty()) {
    outcome["static"] = std::move(bindings);
  }
  if (!provisions.empty()) {
    outcome["dynamic"] = std::move(provisions);
  }
}

}  // namespace berth::vector_check
