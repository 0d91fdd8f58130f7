// A binding from its writes to its end, on a clock that tests move: catalogue 11.I, as far as it
// speaks of the engine.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/recorded_plan.h"
#include "volumes/switches.h"
#include "volumes/testing/api_store.h"
#include "volumes/testing/bind_run.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/undo_scope.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

using namespace std::chrono_literals;
using testing::BindRun;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::storage_class;
using testing::Texts;

// c gets p on n1; all is written and shown.
void wait_for_static(BindRun& run) {
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.run();
  run.show();
  EXPECT_EQ(run.binding->phase(), Binding::Phase::kWaiting);
}

// c is to be provisioned on n1.
void wait_for_dynamic(BindRun& run) {
  run.store.put(*pvc("c").of("wait-prov"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.run();
  run.show();
  EXPECT_EQ(run.binding->phase(), Binding::Phase::kWaiting);
}

TEST(BindingWait, I01StaticBindingThatTakesFiveSeconds) {
  BindRun run;
  wait_for_static(run);
  run.pass(5s);
  EXPECT_FALSE(run.is_over());
  run.store.finish_binding("p", "c");
  run.show();
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
}

TEST(BindingWait, I02ProvisioningThatTakesFiveSeconds) {
  BindRun run;
  wait_for_dynamic(run);
  run.pass(5s);
  run.store.provision("c", "n1");
  run.show();
  EXPECT_FALSE(run.is_over());
  run.store.finish_binding("pvc-claim-c", "c");
  run.show();
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
}

TEST(BindingWait, I03ClaimThatIsNeverBound) {
  for (const Switches& switches : {Switches{}, Switches::upstream()}) {
    BindRun run(switches);
    run.policy.timeout = 10s;
    wait_for_static(run);
    EXPECT_EQ(run.wakes_at, Moment(10s));
    run.pass(9s);
    EXPECT_FALSE(run.is_over());
    run.pass(1s);
    EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
    EXPECT_EQ(run.outcome().text, "binding volumes: context deadline exceeded");
    EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kDeadline)});
    EXPECT_EQ(run.outcome().reasons[0].claim, "ns/c");
    EXPECT_EQ(run.outcome().reasons[0].text, "waiting for PVC \"c\" to be bound for 10 s");
    EXPECT_EQ(run.outcome().needs_undo, switches.undo);
  }
}

TEST(BindingWait, EachClassHasItsTime) {
  BindRun run;
  run.place.add(storage_class("wait").version("2").note(kBindTimeout, "60"),
                storage_class("wait-prov").version("2").provisioner("x").note(kBindTimeout, "900"));
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pvc("d").of("wait-prov"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c").claim("d"), "n1"));
  run.run();
  run.show();
  run.pass(59s);
  EXPECT_FALSE(run.is_over());
  run.store.finish_binding("p", "c");
  run.show();
  // What is bound is not late any more.
  run.pass(840s);
  EXPECT_FALSE(run.is_over());
  run.pass(1s);
  EXPECT_EQ(run.outcome().reasons.at(0).claim, "ns/d");
}

TEST(BindingWait, ATimeThatIsNoneCountsAsNotSaid) {
  const BindPolicy policy;
  const auto timeout = [&policy](std::string_view text) {
    return timeout_of(*storage_class("x").note(kBindTimeout, text), policy);
  };
  EXPECT_EQ(timeout_of(*storage_class("x"), policy), 600s);
  EXPECT_EQ(timeout("30"), 30s);
  EXPECT_EQ(timeout("0"), 0s);
  EXPECT_EQ(timeout("86400"), 24h);
  for (const std::string_view wrong :
       {"", "-1", "x", "1s", " 1", "86401", "99999999999999999999"}) {
    EXPECT_EQ(timeout(wrong), 600s) << wrong;
  }
}

TEST(BindingWait, I04PodIsDeletedMeanwhile) {
  BindRun run;
  wait_for_static(run);
  run.pass(5s);
  run.facts.exists = false;
  run.tell(Look{});
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpPod);
  EXPECT_EQ(run.outcome().text,
            "binding volumes: pod does not exist any more: pod \"a\" not found");
  EXPECT_TRUE(run.outcome().needs_undo);
}

TEST(BindingWait, I05ClaimIsDeletedMeanwhile) {
  for (const bool is_upstream : {false, true}) {
    BindRun run(is_upstream ? Switches::upstream() : Switches{});
    wait_for_dynamic(run);
    run.pass(5s);
    run.store.remove_claim("c");
    run.show();
    EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpPod);
    EXPECT_EQ(run.outcome().text,
              "binding volumes: failed to check provisioning pvc: persistentvolumeclaims "
              "\"ns/c\" not found");
    // Ours asks the server first.
    EXPECT_EQ(run.objects_read.size(), is_upstream ? 0U : 1U);
  }
}

TEST(BindingWait, WhatOnlyTheCacheMissesIsNotGone) {
  BindRun run;
  wait_for_static(run);
  run.place.catalog.remove_volume("p");
  run.tell(Look{});
  run.run();
  EXPECT_FALSE(run.is_over());
  EXPECT_EQ(run.objects_read, std::vector<ObjectId>{volume_id("p")});
  // Not with every event.
  run.tell(Look{});
  EXPECT_TRUE(run.actions.empty());
  run.store.remove_volume("p");
  run.pass(run.policy.look_again);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kVolumeGone)});
}

TEST(BindingWait, ServerThatDoesNotAnswerIsAskedAgain) {
  BindRun run;
  wait_for_static(run);
  run.store.remove_volume("p");
  run.store.show(run.place.catalog);
  run.tell(Look{});
  run.next();
  run.tell(ReadFailed{.object = volume_id("p"), .error = Error(ErrorCode::kUnavailable, "away")});
  EXPECT_FALSE(run.is_over());
  run.pass(run.policy.look_again);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kVolumeGone)});
}

TEST(BindingWait, I06BoundToAVolumeOnAnotherNode) {
  BindRun run;
  wait_for_dynamic(run);
  run.pass(5s);
  run.store.provision("c", "n2");
  run.store.finish_binding("pvc-claim-c", "c");
  run.show();
  EXPECT_EQ(run.outcome().text,
            "binding volumes: pv \"pvc-claim-c\" node affinity doesn't match node \"n1\": no "
            "matching NodeSelectorTerms");
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
}

TEST(BindingWait, I07WhatIsBoundWhenTheWaitBeginsIsDoneAtOnce) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  // The PV controller is faster than the answer to our write.
  const BindAction write = run.next();
  const auto answer = run.store.apply(std::get<Write>(write));
  run.store.finish_binding("p", "c");
  run.store.show(run.place.catalog);
  run.tell(*answer);
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
  EXPECT_EQ(run.now, Moment{});
}

TEST(BindingWait, I08WithoutTimeEverythingIsWrittenAndNothingLookedAt) {
  for (const Switches& switches : {Switches{}, Switches::upstream()}) {
    BindRun run(switches);
    run.policy.timeout = 0s;
    run.store.put(*pvc("c").of("wait-prov"));
    run.begin(run.plan(pod("a").claim("c"), "n1"));
    run.run();
    EXPECT_EQ(run.sent(), Texts{"claim c"});
    EXPECT_EQ(run.outcome().text, "binding volumes: context deadline exceeded");
  }
}

TEST(BindingWait, I09PreemptedWhileWaiting) {
  BindRun run;
  wait_for_static(run);
  run.tell(Preempted{.by = "DefaultPreemption"});
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
  EXPECT_EQ(run.outcome().text, "preempted by DefaultPreemption");
  EXPECT_TRUE(run.outcome().needs_undo);
}

TEST(BindingWait, PreemptedWhileWritingWaitsForTheAnswer) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pvc("d").of("wait-prov"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c").claim("d"), "n1"));
  run.tell(Preempted{.by = "x"});
  EXPECT_FALSE(run.is_over());
  run.lose_write(true);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kPreempted)});
  EXPECT_EQ(run.binding->undo_scope().bindings, std::vector<bool>{true});
  EXPECT_EQ(run.binding->undo_scope().provisions, std::vector<bool>{false});
  EXPECT_EQ(run.binding->undo_scope().landed_by, Moment(run.policy.landing_max));
}

TEST(BindingWait, I10ProcessThatEndsReturnsAtOnceAndTakesNothingBack) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.tell(Stopped{});  // with a write under way
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kRetryHere);
  EXPECT_FALSE(run.outcome().needs_undo);
  EXPECT_EQ(run.binding->undo_scope().bindings, std::vector<bool>{true});
  EXPECT_EQ(run.binding->undo_scope().landed_by, Moment(run.policy.landing_max));
}

// I11: when all claims are bound there is nothing to record and nothing to do.
TEST(BindingWait, I11AllBoundIsAnEmptyPlan) {
  BindRun run;
  run.store.put(*pvc("c").of("wait").bound_to("p"));
  run.store.put(*pv("p").of("wait").on("n1").names("c", "claim-c"));
  const RecordedPlan plan = run.plan(pod("a").claim("c"), "n1");
  EXPECT_TRUE(run.assumed.is_all_bound);
  EXPECT_TRUE(plan.empty());
  run.begin(plan);
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
  EXPECT_TRUE(run.sent().empty());
}

TEST(BindingWait, LooksNowAndThenThoughNoEventComes) {
  BindRun run;
  wait_for_static(run);
  EXPECT_EQ(run.wakes_at, Moment(run.policy.look_again));
  run.store.finish_binding("p", "c");
  run.store.show(run.place.catalog);  // an event nobody passed on
  run.pass(run.policy.look_again);
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
}

TEST(BindingWait, SaysWhatItWatches) {
  using Kind = Binding::WatchedKind;
  BindRun run;
  wait_for_dynamic(run);
  EXPECT_TRUE(run.binding->is_watching(Kind::kPod, "ns/a"));
  EXPECT_TRUE(run.binding->is_watching(Kind::kNode, "n1"));
  EXPECT_TRUE(run.binding->is_watching(Kind::kCsiNode, "n1"));
  EXPECT_TRUE(run.binding->is_watching(Kind::kClaim, "ns/c"));
  EXPECT_FALSE(run.binding->is_watching(Kind::kClaim, "ns/d"));
  EXPECT_FALSE(run.binding->is_watching(Kind::kVolume, "pvc-claim-c"));
  // The claim names a volume that the cache does not have: that is waited for too.
  run.store.provision("c", "n1");
  run.store.finish_binding("pvc-claim-c", "c");
  run.store.show(run.place.catalog);
  run.place.catalog.remove_volume("pvc-claim-c");
  run.tell(Look{});
  EXPECT_TRUE(run.binding->is_watching(Kind::kVolume, "pvc-claim-c"));
}

TEST(BindingWait, WorstProblemDecides) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pvc("d").of("wait-prov"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c").claim("d"), "n1"));
  run.run();
  run.show();
  api::PersistentVolume reset = run.store.volume("p");
  reset.spec.claim_ref.reset();
  run.store.put(reset);
  api::PersistentVolumeClaim going = run.store.claim("d");
  going.metadata.deletion_timestamp = api::Time{};
  run.store.put(going);
  run.show();
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpPod);
  EXPECT_EQ(
      run.codes(),
      (Texts{std::string(bind_reason::kClaimDeleting), std::string(bind_reason::kReferenceReset)}));
}

}  // namespace
}  // namespace berth::volumes
