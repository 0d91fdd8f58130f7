// Pods that share a claim: what one wrote for it stays while another relies on it, and goes with
// the last. Of a volume that points at the claim and of a claim that asks for the node alike.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/reliance.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/testing/bind_run.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/undo.h"
#include "volumes/undo_scope.h"

namespace berth::volumes {
namespace {

using testing::BindRun;
using testing::pod;
using testing::pv;
using testing::pvc;

enum class Way { kStatic, kDynamic };

// A pod on its way to being bound.
struct Journey {
  RecordedPlan plan;
  AssumedPlan assumed;
  std::unique_ptr<Binding> binding = nullptr;

  UndoScope scope() const { return binding != nullptr ? binding->undo_scope() : UndoScope{}; }
};

class UndoOfSharedClaim : public ::testing::TestWithParam<Way> {
 protected:
  UndoOfSharedClaim() { put(run); }

  void put(BindRun& into) const {
    if (GetParam() == Way::kStatic) {
      into.store.put(*pvc("c").of("wait"));
      into.store.put(*pv("p").of("wait").on("n1"));
    } else {
      into.store.put(*pvc("c").of("wait-prov"));
    }
  }

  Journey plan(const std::string& name) {
    RecordedPlan plan = run.plan_beside(pod(name).claim("c"), "n1");
    return {.plan = std::move(plan), .assumed = run.assumed};
  }
  // As far as it gets: to where it waits for the claim to be bound.
  void write(Journey& of) {
    run.undoing = nullptr;
    run.facts = {.exists = true, .uid = of.plan.pod.uid};
    run.begin(of.plan);
    run.run();
    EXPECT_EQ(run.binding->phase(), Binding::Phase::kWaiting);
    of.binding = std::move(run.binding);
  }
  UndoScope give_up(const Journey& of) {
    return run.the_ledger().reliance().give_up(of.assumed.owner, of.plan, of.scope());
  }
  UndoOutcome undo(const Journey& of) {
    run.assumed = of.assumed;
    run.begin_undo(of.plan, of.scope());
    return finish_undo(of);
  }
  UndoOutcome finish_undo(const Journey& of) {
    run.run();
    EXPECT_TRUE(run.undoing->outcome().has_value());
    run.the_ledger().revert(of.assumed);
    return run.undoing->outcome().value_or(UndoOutcome{});
  }

  bool is_written() const {
    return GetParam() == Way::kStatic
               ? run.store.volume("p").spec.claim_ref.has_value()
               : find_annotation(run.store.claim("c").metadata, kSelectedNode) != nullptr;
  }
  static std::string held(const UndoOutcome& outcome) {
    EXPECT_TRUE(outcome.is_complete());
    return outcome.held.empty() ? "" : std::string(outcome.held[0].code);
  }

  BindRun run;
};

TEST_P(UndoOfSharedClaim, IsHeldForThePodThatReliesOnIt) {
  Journey a = plan("a");
  const Journey b = plan("b");
  write(a);
  const UndoOutcome outcome = undo(a);
  EXPECT_EQ(held(outcome), bind_reason::kHeldForPod);
  EXPECT_EQ(outcome.held[0].claim, "ns/c");
  EXPECT_TRUE(outcome.held[0].text.ends_with("pod \"ns/b\" relies on it")) << outcome.held[0].text;
  EXPECT_TRUE(is_written());
}

TEST_P(UndoOfSharedClaim, IsTakenBackByTheLastThoughItWroteNothing) {
  Journey a = plan("a");
  Journey b = plan("b");
  write(a);
  undo(a);
  write(b);
  EXPECT_EQ(run.store.writes.size(), 2U);  // the second was refused, and found what it wanted
  EXPECT_EQ(held(undo(b)), "");
  EXPECT_FALSE(is_written());
}

TEST_P(UndoOfSharedClaim, IsTakenBackByAPodThatGivesUpBeforeItBinds) {
  Journey a = plan("a");
  const Journey b = plan("b");
  write(a);
  undo(a);
  EXPECT_FALSE(give_up(b).empty());
  EXPECT_EQ(held(undo(b)), "");
  EXPECT_FALSE(is_written());
}

TEST_P(UndoOfSharedClaim, IsTakenBackByAPodThatFoundItAsItWants) {
  Journey a = plan("a");
  write(a);
  Journey b = plan("b");  // sees what a wrote
  EXPECT_EQ(held(undo(a)), bind_reason::kHeldForPod);
  write(b);
  EXPECT_EQ(held(undo(b)), "");
  EXPECT_FALSE(is_written());
}

TEST_P(UndoOfSharedClaim, IsHeldForAPodThatComesWhileItIsTakenBack) {
  Journey a = plan("a");
  write(a);
  run.assumed = a.assumed;
  run.begin_undo(a.plan, a.scope());
  const Journey b = plan("b");
  EXPECT_EQ(held(finish_undo(a)), bind_reason::kHeldForPod);
  EXPECT_TRUE(is_written());
  EXPECT_EQ(held(undo(b)), "");
  EXPECT_FALSE(is_written());
}

TEST_P(UndoOfSharedClaim, IsNotHeldForAPodThatGivesUpToo) {
  Journey a = plan("a");
  const Journey b = plan("b");
  write(a);
  give_up(b);
  EXPECT_EQ(held(undo(a)), "");
  EXPECT_FALSE(is_written());
  EXPECT_EQ(held(undo(b)), "");
}

TEST_P(UndoOfSharedClaim, IsLeftByAPodThatDidNotWriteItWhileTheOtherGoesOn) {
  Journey a = plan("a");
  Journey b = plan("b");
  write(a);
  write(b);
  EXPECT_TRUE(give_up(b).empty());
  EXPECT_EQ(held(undo(b)), "");
  EXPECT_TRUE(is_written());
}

TEST_P(UndoOfSharedClaim, IsTakenBackWhenNobodySharesIt) {
  Journey a = plan("a");
  Journey b = plan("b");
  write(a);
  run.the_ledger().revert(b.assumed);
  EXPECT_EQ(held(undo(a)), "");
  EXPECT_FALSE(is_written());
}

// All that the next process has is what was recorded.
TEST_P(UndoOfSharedClaim, IsHeldAndTakenBackByARecordedPlanAfterACrash) {
  Journey a = plan("a");
  write(a);
  const Journey b = plan("b");
  BindRun next(Switches{}, run.server);
  next.store.show(next.place.catalog);
  const RecordedPlan first = *plan_from_text(*to_text(a.plan));
  const RecordedPlan second = *plan_from_text(*to_text(b.plan));
  Reliance& reliance = next.the_ledger().reliance();
  reliance.rely("b", second);

  next.assumed.owner = "a";
  next.begin_undo(first, whole_scope(first, {}));
  next.run();
  EXPECT_EQ(held(*next.undoing->outcome()), bind_reason::kHeldForPod);
  reliance.forget("a");

  next.assumed.owner = "b";
  next.begin_undo(second, whole_scope(second, {}));
  next.run();
  EXPECT_EQ(held(*next.undoing->outcome()), "");
  EXPECT_FALSE(is_written());
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         UndoOfSharedClaim,
                         ::testing::Values(Way::kStatic, Way::kDynamic),
                         [](const auto& way) {
                           return way.param == Way::kStatic ? "Static" : "Dynamic";
                         });

}  // namespace
}  // namespace berth::volumes
