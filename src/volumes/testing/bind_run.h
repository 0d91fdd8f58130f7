// A binding with all that is around it, for tests: a server, a cache that sees what it is shown, a
// clock that stands until it is moved. Answers come at once and in order unless a test answers
// itself.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/pod.h"
#include "base/assert.h"
#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/ledger.h"
#include "volumes/plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/switches.h"
#include "volumes/testing/api_store.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/undo.h"
#include "volumes/undo_scope.h"
#include "volumes/wait.h"

namespace berth::volumes::testing {

class BindRun {
 public:
  // Several may share a server.
  explicit BindRun(const Switches& wanted = {},
                   std::shared_ptr<ApiStore> shared = std::make_shared<ApiStore>())
      : server(std::move(shared)), store(*server) {
    place.switches = wanted;
  }

  std::shared_ptr<ApiStore> server;
  Place place;
  ApiStore& store;
  BindPolicy policy;
  PodFacts facts;
  Moment now{};
  api::Pod pod;
  AssumedPlan assumed;
  std::unique_ptr<Ledger> ledger;
  std::unique_ptr<Binding> binding;
  std::unique_ptr<Undo> undoing;
  std::deque<BindAction> actions;      // not performed yet
  std::optional<Moment> wakes_at;      // the last WaitUntil
  std::vector<ObjectId> objects_read;  // live

  // Finds, assumes and records a plan for the node.
  RecordedPlan plan(const api::Pod& for_pod, std::string_view node) {
    ledger = nullptr;
    return plan_beside(for_pod, node);
  }
  // The same beside what this process has planned before.
  RecordedPlan plan_beside(const api::Pod& for_pod, std::string_view node) {
    store.show(place.catalog);
    pod = for_pod;
    facts = {.exists = true, .uid = pod.metadata.uid};
    const NodePlan found = place.look(pod, node).plan;
    auto reserved = the_ledger().assume(pod, node, found);
    BERTH_ASSERT(reserved.has_value(), "a test plans what can be assumed");
    assumed = *std::move(reserved);
    auto recorded = ledger->record(assumed, pod, "test");
    BERTH_ASSERT(recorded.has_value(), "what was assumed can be recorded");
    return *std::move(recorded);
  }
  Ledger& the_ledger() {
    if (ledger == nullptr) {
      ledger = std::make_unique<Ledger>(place.catalog, place.switches);
    }
    return *ledger;
  }

  // Begins; nothing is performed yet.
  void begin(const RecordedPlan& plan, const UndoScope& before = {}) {
    binding = std::make_unique<Binding>(plan, before, policy, place.switches);
    tell(Begin{});
  }
  void begin_undo(const RecordedPlan& plan, const UndoScope& scope) {
    undoing = std::make_unique<Undo>(
        plan, the_ledger().reliance().give_up(assumed.owner, plan, scope), policy);
    tell_undo(Begin{});
  }

  void tell(const Binding::Input& input) {
    take(binding->step(input, {.view = place.catalog.now(), .pod = facts, .now = now}));
  }
  void tell_undo(const Undo::Input& input) {
    const Undo::Place around{
        .view = place.catalog.now(), .reliance = the_ledger().reliance(), .now = now};
    take(undoing->step(input, around));
  }

  // The next action there is, taken out of the line.
  BindAction next() {
    BERTH_ASSERT(!actions.empty(), "a test takes actions that are there");
    BindAction action = std::move(actions.front());
    actions.pop_front();
    return action;
  }
  // Performs what is to be done until there is nothing left.
  void run() {
    while (!actions.empty()) {
      perform(next());
    }
  }
  void perform(const BindAction& action) {
    if (const auto* write = std::get_if<Write>(&action)) {
      auto answer = store.apply(*write);
      answer ? answer_with(*answer)
             : answer_with(WriteFailed{.object = write->object, .error = answer.error()});
    } else if (const auto* read = std::get_if<ReadObject>(&action)) {
      objects_read.push_back(read->object);
      answer_with(store.read(read->object));
    }
  }
  // The next action is a write; it fails so.
  void fail_write(ErrorCode code, std::string_view text = "no") {
    const BindAction action = next();
    answer_with(WriteFailed{.object = std::get<Write>(action).object,
                            .error = Error(code, std::string(text))});
  }
  // It is applied, or not, and nobody hears of it.
  void lose_write(bool is_applied) {
    const BindAction action = next();
    const Write& write = std::get<Write>(action);
    if (is_applied) {
      (void)store.apply(write);
    }
    answer_with(WriteFailed{.object = write.object,
                            .error = Error(ErrorCode::kUnknownOutcome, "answer lost")});
  }
  template <typename Answer>
  void answer_with(const Answer& answer) {
    undoing ? tell_undo(answer) : tell(answer);
  }

  // The cache sees everything; the binding looks.
  void show() {
    store.show(place.catalog);
    tell(Look{});
    run();
  }
  void pass(std::chrono::seconds time) {
    now += time;
    undoing ? tell_undo(Look{}) : tell(Look{});
    run();
  }

  bool is_over() const { return binding->outcome().has_value(); }
  const BindOutcome& outcome() const {
    BERTH_ASSERT(is_over(), "a test looks at outcomes that are there");
    return *binding->outcome();
  }
  std::vector<std::string> codes() const {
    std::vector<std::string> codes;
    for (const BindReason& reason : outcome().reasons) {
      codes.emplace_back(reason.code);
    }
    return codes;
  }
  // "volume p", "claim c": what was sent, in order.
  std::vector<std::string> sent() const {
    std::vector<std::string> sent;
    for (const Write& write : store.writes) {
      sent.push_back((write.object.kind == ObjectKind::kVolume ? "volume " : "claim ") +
                     write.object.name);
    }
    return sent;
  }
  // As a driver does when a binding has failed.
  void release_unwritten() {
    for (const ObjectId& object : binding->unwritten()) {
      for (const StaticBinding& each : assumed.volumes) {
        if (object == volume_id(each.volume->metadata.name)) {
          ledger->release(assumed, *each.volume);
        }
      }
      for (const Provision& each : assumed.claims) {
        if (object.kind == ObjectKind::kClaim && object.name == each.claim->metadata.name) {
          ledger->release(assumed, *each.claim);
        }
      }
    }
  }

 private:
  void take(BindActions made) {
    for (BindAction& action : made) {
      if (const auto* wait = std::get_if<WaitUntil>(&action)) {
        wakes_at = wait->until;
      } else {
        actions.push_back(std::move(action));
      }
    }
  }
};

}  // namespace berth::volumes::testing
