// Three pods that share a claim, in one process that may die: they are planned, bound and given up
// in any order, answers are lost, writes are applied late. However it goes, no undo takes from a
// pod that has not given up what it relies on, and when all have given up nothing is left (S5).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/search.h"
#include "volumes/testing/api_store.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/undo.h"
#include "volumes/undo_scope.h"
#include "volumes/wait.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

using testing::ApiStore;
using testing::Place;
using testing::pod;
using testing::pv;
using testing::pvc;

struct Seen {
  int done = 0;
  int held_for_pods = 0;
  int all_given_up = 0;
  int crashes = 0;
};

class SharedStory {
 public:
  SharedStory(unsigned seed, Seen& seen) : random_(seed), seen_(seen) {}

  void tell() {
    is_static_ = one_in(2);
    has_controllers_ = one_in(2);
    store_.put(*pvc("c").of(is_static_ ? "wait" : "wait-prov"));
    if (is_static_) {
      store_.put(*pv("p").of("wait").on("n1"));
    }
    for (const char* name : {"a", "b", "d"}) {
      pods_.push_back({.pod = *pod(name).claim("c")});
    }
    start();
    for (step_ = 0; step_ < 4000 && !is_over(); ++step_) {
      happen();
      advance(pods_[dice(pods_.size())]);
    }
    ASSERT_TRUE(is_over()) << "it has to end";
    check_end();
  }

 private:
  enum class State { kIdle, kPlanned, kBinding, kUndoing, kOver };
  struct Traveller {
    api::Pod pod;
    State state = State::kIdle;
    int attempts = 0;
    std::string text = {};
    AssumedPlan assumed = {};
    UndoScope scope = {};  // of the binding or the undo
    std::unique_ptr<Binding> binding = nullptr;
    std::unique_ptr<Undo> undo = nullptr;
    std::deque<BindAction> actions = {};

    bool is_live() const { return state == State::kPlanned || state == State::kBinding; }
    RecordedPlan plan() const { return *plan_from_text(text); }
  };
  struct Flying {
    Write write;
    Moment until;
  };

  std::size_t dice(std::size_t sides) { return random_() % sides; }
  bool one_in(std::size_t times) { return dice(times) == 0; }
  bool is_calm() const { return step_ > 500; }
  bool is_over() const {
    return std::ranges::all_of(pods_,
                               [](const Traveller& each) { return each.state == State::kOver; });
  }

  // The process. -----------------------------------------------------------------------------

  void start() {
    place_ = std::make_unique<Place>();
    ledger_ = std::make_unique<Ledger>(place_->catalog, place_->switches);
    store_.show(place_->catalog);
  }

  void crash() {
    ++seen_.crashes;
    for (Traveller& each : pods_) {
      for (const BindAction& action : each.actions) {
        const auto* write = std::get_if<Write>(&action);
        if (write != nullptr && one_in(2)) {
          flying_.push_back({*write, now_ + policy_.landing_max});
        }
      }
      each.actions.clear();
    }
    start();
    // Who lives is known before anything is undone.
    const Moment landed_by = now_ + policy_.landing_max;
    for (Traveller& each : pods_) {
      if (each.is_live()) {
        auto restored =
            ledger_->restore(each.plan(), {.exists = true, .uid = each.pod.metadata.uid});
        ASSERT_TRUE(restored.has_value());
        each.assumed = *std::move(restored);
        bind(each, whole_scope(each.plan(), landed_by));
      }
    }
    for (Traveller& each : pods_) {
      if (each.state == State::kUndoing) {
        each.assumed = {.owner = "given up " + each.pod.metadata.name};
        undo(each, whole_scope(each.plan(), landed_by));
      }
    }
  }

  void happen() {
    if (!is_calm() && one_in(60)) {
      crash();
    }
    if (!flying_.empty() && one_in(4)) {
      const auto at = static_cast<std::ptrdiff_t>(dice(flying_.size()));
      (void)store_.apply(flying_[static_cast<std::size_t>(at)].write);
      flying_.erase(flying_.begin() + at);
    }
    if (one_in(3)) {
      store_.show(place_->catalog);
    }
    if (one_in(6)) {
      now_ += std::chrono::seconds(dice(is_calm() ? 100 : 15));
      std::erase_if(flying_, [this](const Flying& each) { return each.until <= now_; });
    }
    if (has_controllers_ && one_in(8)) {
      control();
    }
  }

  // The PV controller and a provisioner: one step.
  void control() {
    const api::PersistentVolumeClaim claim = store_.claim("c");
    if (!claim.spec.volume_name.empty()) {
      return;
    }
    for (const auto& [key, volume] : store_.volumes()) {
      if (volume->spec.claim_ref && volume->spec.claim_ref->uid == claim.metadata.uid) {
        const std::string name = volume->metadata.name;
        volume->status.phase == "Bound" ? store_.finish_binding(name, "c")
                                        : store_.finish_volume(name);
        return;
      }
    }
    if (find_annotation(claim.metadata, kSelectedNode) != nullptr && one_in(3)) {
      store_.provision("c", "n1");
    }
  }

  // One pod. ---------------------------------------------------------------------------------

  void advance(Traveller& who) {
    switch (who.state) {
      case State::kIdle:
        return is_calm() || who.attempts == 3 ? finish(who) : plan(who);
      case State::kPlanned:
        return one_in(5) ? give_up(who, {}) : bind(who, {});
      case State::kBinding:
        return advance_binding(who);
      case State::kUndoing:
        return advance_undo(who);
      case State::kOver:
        return;
    }
  }

  void plan(Traveller& who) {
    ++who.attempts;
    PodCheck check = place_->check(who.pod);
    if (!check.answer.is_success()) {
      return;
    }
    Search search(std::move(check.claims), place_->catalog.view(), place_->switches);
    const NodeAnswer found = search.look_at(*search.view().find_node_number("n1"));
    if (!found.answer.is_success()) {
      return;
    }
    auto assumed = ledger_->assume(who.pod, "n1", found.plan);
    if (!assumed) {
      return;
    }
    const auto recorded = ledger_->record(*assumed, who.pod, "test");
    ASSERT_TRUE(recorded.has_value()) << recorded.error().text();
    who.assumed = *std::move(assumed);
    who.text = *to_text(*recorded);
    who.state = State::kPlanned;
  }

  void bind(Traveller& who, const UndoScope& before) {
    who.state = State::kBinding;
    who.actions.clear();
    who.binding = std::make_unique<Binding>(who.plan(), before, policy_, place_->switches);
    tell(who, Begin{});
  }

  void advance_binding(Traveller& who) {
    if (one_in(is_calm() ? 60 : 30)) {
      tell(who, Preempted{.by = "somebody"});
    } else if (who.actions.empty()) {
      tell(who, Look{});
    } else {
      perform(who);
    }
    if (!who.binding->outcome()) {
      return;
    }
    const UndoScope scope = who.binding->undo_scope();
    switch (who.binding->outcome()->verdict) {
      case BindVerdict::kDone:
        ++seen_.done;
        is_any_done_ = true;
        return finish(who);
      case BindVerdict::kRetryHere:
        return bind(who, scope);
      default:
        return give_up(who, scope);
    }
  }

  void give_up(Traveller& who, const UndoScope& scope) {
    undo(who, ledger_->reliance().give_up(who.assumed.owner, who.plan(), scope));
  }

  void undo(Traveller& who, const UndoScope& scope) {
    who.state = State::kUndoing;
    who.actions.clear();
    who.scope = ledger_->reliance().give_up(who.assumed.owner, who.plan(), scope);
    who.undo = std::make_unique<Undo>(who.plan(), who.scope, policy_);
    tell(who, Begin{});
  }

  void advance_undo(Traveller& who) {
    who.actions.empty() ? tell(who, Look{}) : perform(who);
    if (!who.undo->outcome()) {
      return;
    }
    const UndoOutcome outcome = *who.undo->outcome();
    if (!outcome.is_complete()) {
      return undo(who, who.scope);
    }
    for (const BindReason& reason : outcome.held) {
      EXPECT_NE(reason.code, bind_reason::kNotOurs) << reason.text;
      const bool is_for_pod = reason.code == bind_reason::kHeldForPod;
      seen_.held_for_pods += is_for_pod ? 1 : 0;
      is_held_ = is_held_ || !is_for_pod;
    }
    ledger_->revert(who.assumed);
    ledger_->reliance().forget(who.assumed.owner);
    who.state = State::kIdle;
  }

  void finish(Traveller& who) {
    ledger_->revert(who.assumed);
    who.state = State::kOver;
  }

  template <typename Input>
  void tell(Traveller& who, const Input& input) {
    BindActions made;
    if (who.state == State::kUndoing) {
      if constexpr (!std::is_same_v<Input, Preempted>) {
        made = who.undo->step(
            input, {.view = place_->catalog.now(), .reliance = ledger_->reliance(), .now = now_});
      }
      check_nobody_relies(who, made);
    } else {
      made = who.binding->step(input,
                               {.view = place_->catalog.now(),
                                .pod = {.exists = true, .uid = who.pod.metadata.uid},
                                .now = now_});
    }
    for (BindAction& action : made) {
      if (!std::holds_alternative<WaitUntil>(action)) {
        who.actions.push_back(std::move(action));
      }
    }
  }

  void check_nobody_relies(const Traveller& who, const BindActions& made) const {
    const bool is_writing = std::ranges::any_of(
        made, [](const BindAction& action) { return std::holds_alternative<Write>(action); });
    for (const Traveller& other : pods_) {
      EXPECT_FALSE(is_writing && &other != &who && other.is_live())
          << who.pod.metadata.name << " takes it from " << other.pod.metadata.name;
    }
  }

  void perform(Traveller& who) {
    const BindAction action = std::move(who.actions.front());
    who.actions.pop_front();
    if (const auto* read = std::get_if<ReadObject>(&action)) {
      return tell(who, store_.read(read->object));
    }
    const Write& write = std::get<Write>(action);
    const std::size_t fate = is_calm() ? 9 : dice(10);
    if (fate == 0) {
      (void)store_.apply(write);
    } else if (fate == 1) {
      flying_.push_back({write, now_ + policy_.landing_max});
    }
    if (fate < 2) {
      return tell(
          who,
          WriteFailed{.object = write.object, .error = Error(ErrorCode::kUnknownOutcome, "lost")});
    }
    auto answer = store_.apply(write);
    answer ? tell(who, *answer)
           : tell(who, WriteFailed{.object = write.object, .error = answer.error()});
  }

  // The end. ---------------------------------------------------------------------------------

  void check_end() {
    if (is_any_done_ || is_held_) {
      return;
    }
    ++seen_.all_given_up;
    if (is_static_) {
      EXPECT_FALSE(store_.volume("p").spec.claim_ref.has_value());
      EXPECT_TRUE(store_.volume("p").metadata.annotations.empty());
    }
    EXPECT_EQ(find_annotation(store_.claim("c").metadata, kSelectedNode), nullptr);
  }

  std::mt19937 random_;
  Seen& seen_;
  ApiStore store_;
  std::unique_ptr<Place> place_;
  std::unique_ptr<Ledger> ledger_;
  BindPolicy policy_;
  Moment now_{};
  std::vector<Traveller> pods_;
  std::vector<Flying> flying_;
  int step_ = 0;
  bool is_static_ = false;
  bool has_controllers_ = false;
  bool is_any_done_ = false;
  bool is_held_ = false;
};

TEST(SharedClaimProperty, NothingIsTakenFromWhoReliesOnItAndNothingIsLeft) {
  Seen seen;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SharedStory story(seed, seen);
    story.tell();
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.done, 100);
  EXPECT_GT(seen.held_for_pods, 100);
  EXPECT_GT(seen.all_given_up, 100);
  EXPECT_GT(seen.crashes, 100);
}

}  // namespace
}  // namespace berth::volumes
