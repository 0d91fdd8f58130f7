// Crashes, competitors and people in the middle of a binding: catalogue 11.Q, as far as it speaks
// of the engine. A process that dies leaves the text of its plan and what it wrote, nothing else.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/names.h"
#include "volumes/record_plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/testing/api_store.h"
#include "volumes/testing/bind_run.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/undo.h"
#include "volumes/undo_scope.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

using namespace std::chrono_literals;
using testing::ApiStore;
using testing::BindRun;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::Texts;

void put_two_static(ApiStore& store) {
  store.put(*pvc("c").of("wait").size("1G"));
  store.put(*pvc("d").of("wait").size("2G"));
  store.put(*pv("p").of("wait").size("1G").on("n1"));
  store.put(*pv("q").of("wait").size("2G").on("n1"));
}

// The next process: it knows the text and the server.
std::unique_ptr<BindRun> restart(const BindRun& dead, std::string_view text) {
  auto next = std::make_unique<BindRun>(Switches{}, dead.server);
  next->store.show(next->place.catalog);
  next->store.writes.clear();
  const auto plan = plan_from_text(text);
  EXPECT_TRUE(plan.has_value());
  next->facts = dead.facts;
  next->begin(*plan, whole_scope(*plan, Moment(90s)));
  return next;
}

// Takes back what it has, and how that ended.
UndoOutcome undo(BindRun& run) {
  const RecordedPlan plan = run.binding->plan();
  run.begin_undo(plan, run.binding->undo_scope());
  run.run();
  if (!run.undoing->outcome()) {
    run.pass(90s);
  }
  EXPECT_TRUE(run.undoing->outcome().has_value());
  return run.undoing->outcome().value_or(UndoOutcome{});
}

std::string uid_on(const ApiStore& store, const std::string& volume) {
  const auto& reference = store.volume(volume).spec.claim_ref;
  return reference ? reference->uid : "";
}

bool is_selected(const ApiStore& store, const std::string& claim) {
  return find_annotation(store.claim(claim).metadata, kSelectedNode) != nullptr;
}

TEST(BindingRestart, Q01KilledBeforeTheFirstWrite) {
  BindRun dead;
  put_two_static(dead.store);
  const std::string text = *to_text(dead.plan(pod("a").claim("c").claim("d"), "n1"));
  const auto next = restart(dead, text);
  next->run();
  EXPECT_EQ(next->sent(), (Texts{"volume p", "volume q"}));
  next->store.finish_binding("p", "c");
  next->store.finish_binding("q", "d");
  next->show();
  EXPECT_EQ(next->outcome().verdict, BindVerdict::kDone);
}

TEST(BindingRestart, Q02KilledBetweenTwoWrites) {
  BindRun dead;
  put_two_static(dead.store);
  const RecordedPlan plan = dead.plan(pod("a").claim("c").claim("d"), "n1");
  dead.begin(plan);
  dead.perform(dead.next());
  const auto next = restart(dead, *to_text(plan));
  next->run();
  EXPECT_EQ(next->sent(), Texts{"volume q"});
  EXPECT_EQ(uid_on(next->store, "p"), "claim-c");
  EXPECT_EQ(uid_on(next->store, "q"), "claim-d");
}

TEST(BindingRestart, Q02KilledBetweenTwoWritesAndTheSecondVolumeIsLost) {
  BindRun dead;
  put_two_static(dead.store);
  const RecordedPlan plan = dead.plan(pod("a").claim("c").claim("d"), "n1");
  dead.begin(plan);
  dead.perform(dead.next());
  api::PersistentVolume taken = dead.store.volume("q");
  taken.spec.claim_ref = api::ObjectReference{.ns = "ns", .name = "x", .uid = "claim-x"};
  dead.store.put(taken);
  const auto next = restart(dead, *to_text(plan));
  next->run();
  EXPECT_EQ(next->codes(), Texts{std::string(bind_reason::kVolumeTaken)});
  ASSERT_TRUE(next->outcome().needs_undo);
  EXPECT_TRUE(undo(*next).is_complete());
  EXPECT_EQ(uid_on(next->store, "p"), "");
  EXPECT_EQ(uid_on(next->store, "q"), "claim-x");
}

TEST(BindingRestart, Q03KilledAfterAClaimAskedForTheNode) {
  BindRun dead;
  dead.store.put(*pvc("c").of("wait-prov"));
  const RecordedPlan plan = dead.plan(pod("a").claim("c"), "n1");
  dead.begin(plan);
  dead.run();
  const auto next = restart(dead, *to_text(plan));
  next->run();
  EXPECT_TRUE(next->sent().empty());
  next->store.provision("c", "n1");
  next->store.finish_binding("pvc-claim-c", "c");
  next->show();
  EXPECT_EQ(next->outcome().verdict, BindVerdict::kDone);
}

TEST(BindingRestart, Q04KilledWhenAllWasBound) {
  BindRun dead;
  put_two_static(dead.store);
  const RecordedPlan plan = dead.plan(pod("a").claim("c").claim("d"), "n1");
  dead.begin(plan);
  dead.run();
  dead.store.finish_binding("p", "c");
  dead.store.finish_binding("q", "d");
  const auto next = restart(dead, *to_text(plan));
  EXPECT_EQ(next->outcome().verdict, BindVerdict::kDone);
  EXPECT_TRUE(next->sent().empty());
}

TEST(BindingRestart, Q05PvControllerPausesHalfAMinute) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.run();
  run.show();
  for (int i = 0; i < 30; ++i) {
    run.pass(1s);
  }
  EXPECT_FALSE(run.is_over());
  run.store.finish_binding("p", "c");
  run.show();
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
  EXPECT_EQ(run.now, Moment(30s));
}

// Q06: a cache that is late; Q11: two who do not know of each other.
TEST(BindingRestart, Q06Q11TwoWantOneVolume) {
  BindRun first;
  first.store.put(*pvc("c").of("wait"));
  first.store.put(*pvc("d").of("wait"));
  first.store.put(*pv("p").of("wait").on("n1"));
  BindRun second({}, first.server);
  const RecordedPlan mine = first.plan(pod("a").claim("c"), "n1");
  const RecordedPlan yours = second.plan(pod("b").claim("d"), "n1");
  EXPECT_EQ(mine.bindings[0].volume, yours.bindings[0].volume);
  first.begin(mine);
  second.begin(yours);
  first.run();
  second.run();
  EXPECT_EQ(uid_on(first.store, "p"), "claim-c");
  EXPECT_EQ(second.outcome().verdict, BindVerdict::kGiveUpNode);
  EXPECT_EQ(second.codes(), Texts{std::string(bind_reason::kVolumeTaken)});
  EXPECT_FALSE(second.outcome().needs_undo);
  undo(second);
  EXPECT_EQ(uid_on(first.store, "p"), "claim-c");
}

TEST(BindingRestart, Q09NodeIsDeletedAfterTheWrites) {
  BindRun run;
  run.store.put(*pvc("c").of("wait-prov"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.run();
  run.store.show(run.place.catalog);
  run.place.catalog.remove_node("n1");
  run.tell(Look{});
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kNodeGone)});
  EXPECT_TRUE(undo(run).is_complete());
  EXPECT_FALSE(is_selected(run.store, "c"));
}

TEST(BindingRestart, Q10ClaimIsMadeAgainDuringTheWait) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.run();
  run.store.put(*pvc("c").of("wait").uid("another"));
  run.show();
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpPod);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kClaimReplaced)});
  undo(run);
  EXPECT_EQ(uid_on(run.store, "p"), "");
}

TEST(BindingRestart, Q12LeaderChangesDuringTheWait) {
  BindRun old;
  put_two_static(old.store);
  const RecordedPlan plan = old.plan(pod("a").claim("c").claim("d"), "n1");
  old.begin(plan);
  const BindAction late = old.next();
  old.run();
  const auto next = restart(old, *to_text(plan));
  next->run();
  EXPECT_EQ(next->sent(), Texts{"volume p"});
  // What the old leader had sent comes too late, and is harmless.
  EXPECT_EQ(next->store.apply(std::get<Write>(late)).error().code(), ErrorCode::kConflict);
  next->store.finish_binding("p", "c");
  next->store.finish_binding("q", "d");
  next->show();
  EXPECT_EQ(next->outcome().verdict, BindVerdict::kDone);
}

TEST(BindingRestart, Q13SharedClaimIsAskedForOnce) {
  BindRun first;
  first.store.put(*pvc("c").of("wait-prov"));
  std::vector<std::unique_ptr<BindRun>> others;
  const RecordedPlan plan = first.plan(pod("a").claim("c"), "n1");
  for (int i = 0; i < 4; ++i) {
    others.push_back(std::make_unique<BindRun>(Switches{}, first.server));
    others.back()->begin(others.back()->plan(pod("b" + std::to_string(i)).claim("c"), "n1"));
  }
  first.begin(plan);
  first.run();
  for (const auto& other : others) {
    other->run();
    EXPECT_EQ(other->binding->phase(), Binding::Phase::kWaiting);
    EXPECT_EQ(other->binding->undo_scope().provisions, std::vector<bool>{false});
  }
  EXPECT_EQ(first.store.writes.size(), 5U);  // one each, of which four were in vain
  first.store.provision("c", "n1");
  first.store.finish_binding("pvc-claim-c", "c");
  for (const auto& other : others) {
    other->show();
    EXPECT_EQ(other->outcome().verdict, BindVerdict::kDone);
  }
}

TEST(BindingRestart, VolumeIsTouchedBeforeThePlanIsRecorded) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  const VolumePtr planned = run.store.put(*pv("p").of("wait").on("n1"));
  run.plan(pod("a").claim("c"), "n1");
  run.store.put(*pv("p").of("wait").on("n1").label("new", "label"));
  run.store.show(run.place.catalog);
  const auto recorded =
      record_plan(all_of(run.assumed), run.pod, "n1", "test", run.place.catalog.now());
  ASSERT_FALSE(recorded.has_value());
  EXPECT_EQ(recorded.error().code(), ErrorCode::kConflict);
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.run();
  EXPECT_EQ(uid_on(run.store, "p"), "claim-c");
}

TEST(BindingRestart, Q15UserTakesTheReferenceAway) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.run();
  api::PersistentVolume reset = run.store.volume("p");
  reset.spec.claim_ref.reset();
  run.store.put(reset);
  run.show();
  EXPECT_EQ(run.outcome().text, "binding volumes: ClaimRef got reset for pv \"p\"");
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
  EXPECT_TRUE(undo(run).is_complete());
}

TEST(BindingRestart, WhatThePlanDidNotWriteItselfIsLeftWhenItIsTakenUpAgain) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pvc("d").of("wait-prov"));
  run.store.put(*pv("p").of("wait").on("n1"));
  const RecordedPlan plan = run.plan(pod("a").claim("c").claim("d"), "n1");
  // Another scheduler gives the same volume to the same claim.
  const Write theirs = write_of(plan.bindings[0]);
  ASSERT_TRUE(run.store.apply(theirs).has_value());
  run.begin(plan);
  run.perform(run.next());
  run.perform(run.next());
  run.fail_write(ErrorCode::kUnavailable);
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kRetryHere);
  run.begin(plan, run.binding->undo_scope());
  run.run();
  run.tell(Preempted{.by = "x"});
  undo(run);
  EXPECT_EQ(uid_on(run.store, "p"), "claim-c");
  EXPECT_FALSE(is_selected(run.store, "d"));
}

}  // namespace
}  // namespace berth::volumes
