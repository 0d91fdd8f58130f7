#include "volumes_bind.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "bind_driver.h"
#include "stub_server.h"
#include "volumes/answer.h"
#include "volumes/bind_outcome.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/binding.h"
#include "volumes/plan.h"
#include "volumes/record_plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/undo.h"
#include "volumes/undo_scope.h"
#include "volumes/wait.h"
#include "volumes/writes.h"
#include "volumes_engine.h"
#include "volumes_json.h"
#include "volumes_scenario.h"
#include "volumes_world.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

// How it is called stands beside what comes of it.
json::object input_of(const BindInput& input, const std::string& node) {
  json::object bind{{"node", node}, {"bindTimeoutSeconds", input.timeout_seconds}};
  if (input.skips_reserve) {
    bind["skipReserve"] = true;
  }
  if (input.has_instant_controller) {
    bind["instantController"] = true;
  }
  if (!input.faults.empty()) {
    json::array faults;
    for (const Fault& fault : input.faults) {
      faults.push_back({{"write", fault.write}, {"error", fault.error}});
    }
    bind["faults"] = std::move(faults);
  }
  return bind;
}

volumes::Answer pre_flight(Attempt& attempt, const std::string& node) {
  if (attempt.is_all_bound()) {
    return volumes::Answer::skip();
  }
  if (attempt.find_plan(node) == nullptr) {
    return volumes::Answer::error("no pod volume found for node \"" + node + "\"");
  }
  return volumes::Answer::success();
}

// The plan as it is to be bound. Without Reserve upstream has the plan of Filter in its place, in
// which an empty list is none.
Result<volumes::RecordedPlan> plan_to_bind(VolumesWorld& world,
                                           Attempt& attempt,
                                           const std::string& node) {
  volumes::PlanToRecord plan;
  if (const volumes::AssumedPlan* assumed = attempt.assumed()) {
    plan = volumes::all_of(*assumed);
  } else if (const volumes::NodePlan* found = attempt.find_plan(node)) {
    plan.volumes = found->bindings.empty() ? nullptr : &found->bindings;
    plan.claims = &found->provisions;
  }
  return volumes::record_plan(plan, attempt.pod(), node, "vector_check", world.catalog().now());
}

class BindReplay {
 public:
  BindReplay(const Scenario& scenario,
             const json::object& objects,
             const volumes::Switches& switches)
      : input_(*scenario.bind),
        world_(scenario, switches),
        server_(objects, input_),
        attempt_(world_, scenario.pod) {}

  json::object replay();

 private:
  Result<std::string> reserve();
  volumes::Answer bind();
  void release_unwritten();
  json::array wait_loop();

  const BindInput& input_;
  VolumesWorld world_;
  StubServer server_;
  Attempt attempt_;
  std::string node_;
  std::optional<Result<volumes::RecordedPlan>> plan_;
  std::optional<volumes::Binding> binding_;
};

// Everything up to Reserve; gives the node.
Result<std::string> BindReplay::reserve() {
  if (attempt_.pre_filter().is_success()) {
    for (const std::string& node : world_.node_names()) {
      attempt_.filter(node);
    }
  }
  if (input_.skips_reserve) {
    return input_.node;
  }
  const std::vector<std::string> feasible = attempt_.feasible();
  if (feasible.empty()) {
    return Error(ErrorCode::kNotFound, "no node fits");
  }
  BERTH_TRY([[maybe_unused]] const bool is_all_bound, attempt_.reserve(feasible.front()));
  return feasible.front();
}

volumes::Answer BindReplay::bind() {
  plan_.emplace(plan_to_bind(world_, attempt_, node_));
  if (!*plan_) {
    return volumes::Answer::error(plan_->error().text());
  }
  const volumes::BindPolicy policy{.timeout = std::chrono::seconds(input_.timeout_seconds)};
  binding_.emplace(**plan_, volumes::UndoScope{}, policy, world_.switches());
  BindDriver driver(world_, server_, attempt_.pod(), attempt_.assumed());
  driver.run(*binding_);
  const volumes::BindOutcome& outcome = *binding_->outcome();
  // No time at all is how the record stops PreBind in order to look at the condition step by step.
  // What was written stands meanwhile.
  if (outcome.needs_undo && input_.waits.empty()) {
    const std::string owner = attempt_.assumed() != nullptr ? attempt_.assumed()->owner : "";
    volumes::Undo undo(**plan_,
                       world_.ledger().reliance().give_up(owner, **plan_, binding_->undo_scope()),
                       policy);
    driver.run(undo);
  }
  release_unwritten();
  return outcome.verdict == volumes::BindVerdict::kDone ? volumes::Answer::success()
                                                        : volumes::Answer::error(outcome.text);
}

// What was not written is not promised any longer.
void BindReplay::release_unwritten() {
  const volumes::AssumedPlan* const assumed = attempt_.assumed();
  if (assumed == nullptr) {
    return;
  }
  for (const volumes::ObjectId& object : binding_->unwritten()) {
    for (const volumes::StaticBinding& binding : assumed->volumes) {
      if (object == volumes::volume_id(binding.volume->metadata.name)) {
        world_.ledger().release(*assumed, *binding.volume);
      }
    }
    for (const volumes::Provision& provision : assumed->claims) {
      if (object.kind == volumes::ObjectKind::kClaim &&
          volumes::claim_key(object.ns, object.name) == volumes::claim_key(*provision.claim)) {
        world_.ledger().release(*assumed, *provision.claim);
      }
    }
  }
}

// The condition by itself, which is the same that PreBind waits for.
json::array BindReplay::wait_loop() {
  const BindDriver driver(world_, server_, attempt_.pod(), attempt_.assumed());
  json::array steps;
  for (const WaitStep& wait : input_.waits) {
    world_.deliver(wait.events);
    json::object step{{"name", wait.name}, {"events", wait.recorded_events}, {"done", false}};
    if (!*plan_) {
      step["error"] = plan_->error().text();
    } else {
      const volumes::WaitAnswer answer = volumes::check_bound(**plan_,
                                                              binding_->awaited(),
                                                              driver.pod_facts(),
                                                              world_.catalog().now(),
                                                              world_.switches());
      step["done"] = answer.is_done();
      if (!answer.problems.empty()) {
        step["error"] = volumes::outcome_of(answer.problems, "", "").text;
      }
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

json::object BindReplay::replay() {
  const Result<std::string> node = reserve();
  if (!node) {
    return {{"error", node.error().text()}};
  }
  node_ = *node;
  json::object got = input_of(input_, node_);
  const volumes::Answer flight = pre_flight(attempt_, node_);
  got["preFlight"] = to_json(flight);
  if (flight.code == volumes::Code::kSkip) {
    got["status"] = to_json(volumes::Answer::success());
    got["writes"] = json::array();
    return got;
  }
  got["status"] = to_json(flight.is_success() ? bind() : flight);
  got["writes"] = server_.writes();
  got["assumedAfter"] = world_.assumed();
  if (plan_ && !input_.waits.empty()) {
    got["waitLoop"] = wait_loop();
  }
  attempt_.unreserve();
  got["assumedAfterUnreserve"] = world_.assumed();
  return got;
}

}  // namespace

json::object replay_bind(const Scenario& scenario,
                         const json::object& objects,
                         const volumes::Switches& switches) {
  return BindReplay(scenario, objects, switches).replay();
}

}  // namespace berth::vector_check
