// What a binding writes, in which order, and what becomes of it: catalogue 11.G.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/names.h"
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

using testing::BindRun;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::Texts;

Switches with(bool Switches::* member, bool is_on) {
  Switches switches;
  switches.*member = is_on;
  return switches;
}

// Two static bindings, c to p and d to q.
RecordedPlan two_static(BindRun& run) {
  run.store.put(*pvc("c").of("wait").size("1G"));
  run.store.put(*pvc("d").of("wait").size("2G"));
  run.store.put(*pv("p").of("wait").size("1G").on("n1"));
  run.store.put(*pv("q").of("wait").size("2G").on("n1"));
  return run.plan(pod("a").claim("c").claim("d"), "n1");
}

// Two claims to be provisioned, c and d.
RecordedPlan two_dynamic(BindRun& run) {
  run.store.put(*pvc("c").of("wait-prov"));
  run.store.put(*pvc("d").of("wait-prov"));
  return run.plan(pod("a").claim("c").claim("d"), "n1");
}

// c gets p, d and e are provisioned.
RecordedPlan mixed(BindRun& run) {
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pvc("d").of("wait-prov"));
  run.store.put(*pvc("e").of("wait-prov"));
  run.store.put(*pv("p").of("wait").on("n1"));
  return run.plan(pod("a").claim("c").claim("d").claim("e"), "n1");
}

void touch_volume(BindRun& run, const std::string& name) {
  api::PersistentVolume volume = run.store.volume(name);
  volume.metadata.labels.insert_or_assign("touched", "yes");
  run.store.put(volume);
}

void touch_claim(BindRun& run, const std::string& name) {
  api::PersistentVolumeClaim claim = run.store.claim(name);
  claim.metadata.labels.insert_or_assign("touched", "yes");
  run.store.put(claim);
}

bool is_promised(const BindRun& run, const std::string& volume) {
  return run.place.catalog.now().find_volume(volume)->promised != nullptr;
}

bool is_claim_promised(const BindRun& run, const std::string& claim) {
  return run.place.catalog.now().find_claim("ns/" + claim)->promised != nullptr;
}

std::string uid_on(const BindRun& run, const std::string& volume) {
  const auto& reference = run.store.volume(volume).spec.claim_ref;
  return reference ? reference->uid : "";
}

std::string selected_on(const BindRun& run, const std::string& claim) {
  const std::string* selected = find_annotation(run.store.claim(claim).metadata, kSelectedNode);
  return selected != nullptr ? *selected : "";
}

TEST(BindingWrites, G02EmptyPlanIsDoneWithoutAWord) {
  for (const Switches& switches : {Switches{}, Switches::upstream()}) {
    BindRun run(switches);
    run.begin({.pod = {.ns = "ns", .name = "a", .uid = "pod-a"}, .node = {.name = "n1"}});
    EXPECT_TRUE(run.actions.empty());
    EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
    EXPECT_EQ(run.outcome().text, "");
  }
}

TEST(BindingWrites, G03VolumesPointAtTheirClaims) {
  for (const Switches& switches : {Switches{}, Switches::upstream()}) {
    BindRun run(switches);
    run.begin(two_static(run));
    run.run();
    EXPECT_EQ(uid_on(run, "p"), "claim-c");
    EXPECT_EQ(uid_on(run, "q"), "claim-d");
    EXPECT_NE(find_annotation(run.store.volume("p").metadata, kBoundByController), nullptr);
    EXPECT_TRUE(is_promised(run, "p"));
    EXPECT_EQ(run.binding->phase(), Binding::Phase::kWaiting);
    EXPECT_EQ(run.binding->awaited().volumes[0], run.store.volume("p").metadata.resource_version);
  }
}

TEST(BindingWrites, G04NothingIsSentThatChangesNothing) {
  for (const bool is_upstream : {false, true}) {
    BindRun run(is_upstream ? Switches::upstream() : Switches{});
    run.store.put(*pvc("c").of("wait"));
    run.store.put(*pv("p").of("wait").on("n1").names("c", "claim-c"));
    run.begin(run.plan(pod("a").claim("c"), "n1"));
    run.run();
    EXPECT_EQ(run.sent(), is_upstream ? Texts{"volume p"} : Texts{});
    if (is_upstream) {
      EXPECT_TRUE(run.store.writes[0].changes.empty());
    }
    EXPECT_EQ(run.binding->phase(), Binding::Phase::kWaiting);
    EXPECT_EQ(run.binding->undo_scope().bindings, std::vector<bool>{false});
  }
}

TEST(BindingWrites, G05VolumeThatChangedIsAConflict) {
  BindRun run(Switches::upstream());
  const RecordedPlan plan = two_static(run);
  touch_volume(run, "q");
  run.begin(plan);
  run.run();
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
  EXPECT_EQ(run.outcome().text,
            "Operation cannot be fulfilled on persistentvolumes \"q\": the object has been "
            "modified; please apply your changes to the latest version and try again");
  EXPECT_EQ(uid_on(run, "p"), "claim-c");
  run.release_unwritten();
  EXPECT_TRUE(is_promised(run, "p"));
  EXPECT_FALSE(is_promised(run, "q"));
  EXPECT_FALSE(run.outcome().needs_undo);
}

TEST(BindingWrites, ConflictIsReadCheckedAndWrittenAgain) {
  BindRun run;
  const RecordedPlan plan = two_static(run);
  touch_volume(run, "q");
  run.begin(plan);
  run.run();
  EXPECT_EQ(run.sent(), (Texts{"volume p", "volume q", "volume q"}));
  EXPECT_EQ(run.objects_read, std::vector<ObjectId>{volume_id("q")});
  EXPECT_EQ(uid_on(run, "q"), "claim-d");
  EXPECT_EQ(run.store.volume("q").metadata.labels.at("touched"), "yes");
  EXPECT_EQ(run.binding->phase(), Binding::Phase::kWaiting);
}

TEST(BindingWrites, ConflictsWithoutEndAreLeftForLater) {
  BindRun run;
  const RecordedPlan plan = two_static(run);
  run.begin(plan);
  while (!run.actions.empty()) {
    touch_volume(run, "q");
    run.perform(run.next());
  }
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kRetryHere);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kConflict)});
  EXPECT_EQ(std::ranges::count(run.sent(), "volume q"), run.policy.writes_max);
  EXPECT_FALSE(run.outcome().needs_undo);  // the plan may still work
}

TEST(BindingWrites, VolumeThatAnotherClaimGotIsGivenUp) {
  BindRun run;
  const RecordedPlan plan = two_static(run);
  api::PersistentVolume taken = run.store.volume("q");
  taken.spec.claim_ref = api::ObjectReference{.ns = "ns", .name = "x", .uid = "claim-x"};
  run.store.put(taken);
  run.begin(plan);
  run.run();
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
  const BindReason& reason = run.outcome().reasons.at(0);
  EXPECT_EQ(reason.code, bind_reason::kVolumeTaken);
  EXPECT_EQ(reason.volume, "q");
  EXPECT_EQ(reason.claim, "ns/d");
  EXPECT_EQ(reason.found, "claim-x");
  EXPECT_TRUE(run.outcome().needs_undo);
  EXPECT_EQ(run.binding->undo_scope().bindings, (std::vector<bool>{true, false}));
}

TEST(BindingWrites, G06ClaimsAskForTheNode) {
  for (const Switches& switches : {Switches{}, Switches::upstream()}) {
    BindRun run(switches);
    run.begin(two_dynamic(run));
    run.run();
    EXPECT_EQ(selected_on(run, "c"), "n1");
    EXPECT_EQ(selected_on(run, "d"), "n1");
    EXPECT_EQ(run.store.writes[0].changes.reference, Changes::Reference::kKept);
  }
}

TEST(BindingWrites, G07ClaimThatChangedIsAConflict) {
  BindRun run(Switches::upstream());
  const RecordedPlan plan = two_dynamic(run);
  touch_claim(run, "d");
  run.begin(plan);
  run.run();
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kConflict)});
  EXPECT_EQ(selected_on(run, "c"), "n1");
  EXPECT_EQ(selected_on(run, "d"), "");
  run.release_unwritten();
  EXPECT_TRUE(is_claim_promised(run, "c"));
  EXPECT_FALSE(is_claim_promised(run, "d"));

  BindRun ours;
  const RecordedPlan again = two_dynamic(ours);
  touch_claim(ours, "d");
  ours.begin(again);
  ours.run();
  EXPECT_EQ(selected_on(ours, "d"), "n1");
  EXPECT_EQ(ours.binding->phase(), Binding::Phase::kWaiting);
}

TEST(BindingWrites, ClaimThatWentElsewhereIsGivenUp) {
  BindRun run;
  const RecordedPlan plan = two_dynamic(run);
  api::PersistentVolumeClaim pinned = run.store.claim("d");
  pinned.metadata.annotations.insert_or_assign(std::string(kSelectedNode), "n2");
  run.store.put(pinned);
  run.begin(plan);
  run.run();
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kClaimPinned)});
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
  EXPECT_EQ(run.outcome().reasons[0].found, "n2");
}

TEST(BindingWrites, G08VolumeStaysWrittenWhenAClaimConflicts) {
  BindRun run(Switches::upstream());
  const RecordedPlan plan = mixed(run);
  touch_claim(run, "e");
  run.begin(plan);
  run.run();
  EXPECT_EQ(run.sent(), (Texts{"volume p", "claim d", "claim e"}));
  EXPECT_EQ(uid_on(run, "p"), "claim-c");
  run.release_unwritten();
  EXPECT_TRUE(is_promised(run, "p"));
}

TEST(BindingWrites, G09NoClaimIsWrittenAfterAVolumeFailed) {
  for (const bool is_upstream : {false, true}) {
    BindRun run(is_upstream ? Switches::upstream() : with(&Switches::retry_conflicts, false));
    const RecordedPlan plan = mixed(run);
    touch_volume(run, "p");
    run.begin(plan);
    run.run();
    EXPECT_EQ(run.sent(), Texts{"volume p"});
    EXPECT_EQ(selected_on(run, "d"), "");
    run.release_unwritten();
    EXPECT_FALSE(is_promised(run, "p"));
    EXPECT_FALSE(is_claim_promised(run, "d"));
    EXPECT_FALSE(is_claim_promised(run, "e"));
  }
}

TEST(BindingWrites, G10VolumeThatIsGone) {
  for (const Switches& switches : {Switches{}, Switches::upstream()}) {
    BindRun run(switches);
    const RecordedPlan plan = two_static(run);
    run.store.remove_volume("q");
    run.begin(plan);
    run.run();
    EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
    EXPECT_EQ(run.outcome().text, "persistentvolumes \"q\" not found");
  }
}

TEST(BindingWrites, G11WrittenVolumeStaysPromisedUntilTheCacheShowsIt) {
  BindRun run(Switches::upstream());
  const RecordedPlan plan = two_static(run);
  touch_volume(run, "q");
  run.begin(plan);
  run.run();
  run.release_unwritten();
  run.assumed.volumes[0].volume = std::make_shared<api::PersistentVolume>(run.store.volume("p"));
  run.ledger->revert(run.assumed);
  EXPECT_TRUE(is_promised(run, "p"));
  run.store.show(run.place.catalog);
  EXPECT_FALSE(is_promised(run, "p"));
  EXPECT_EQ(run.place.catalog.now().find_volume("p")->stored->spec.claim_ref->uid, "claim-c");
}

TEST(BindingWrites, G12VolumeThatThePvControllerBoundMeanwhile) {
  for (const bool is_upstream : {false, true}) {
    BindRun run(is_upstream ? Switches::upstream() : Switches{});
    run.store.put(*pvc("c").of("wait"));
    run.store.put(*pv("p").of("wait").on("n1"));
    const RecordedPlan plan = run.plan(pod("a").claim("c"), "n1");
    api::PersistentVolume bound = run.store.volume("p");
    bound.spec.claim_ref = api::ObjectReference{.ns = "ns", .name = "c", .uid = "claim-c"};
    run.store.put(bound);
    run.store.finish_binding("p", "c");
    run.begin(plan);
    run.run();
    if (is_upstream) {
      EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kConflict)});
      continue;
    }
    // It is as wanted: nothing is left but to see it, and nothing of it is ours.
    EXPECT_EQ(run.binding->undo_scope().bindings, std::vector<bool>{false});
    run.show();
    EXPECT_EQ(run.outcome().verdict, BindVerdict::kDone);
  }
}

TEST(BindingWrites, G13VolumesBeforeClaimsAndSmallestFirst) {
  BindRun upstream(Switches::upstream());
  upstream.store.put(*pvc("f").of("wait").size("2G"));
  upstream.store.put(*pv("q").of("wait").size("2G").on("n1"));
  upstream.store.put(*pvc("c").of("wait"));
  upstream.store.put(*pvc("d").of("wait-prov"));
  upstream.store.put(*pv("p").of("wait").on("n1"));
  upstream.begin(upstream.plan(pod("a").claim("d").claim("f").claim("c"), "n1"));
  // One by one.
  EXPECT_EQ(upstream.actions.size(), 1U);
  upstream.run();
  EXPECT_EQ(upstream.sent(), (Texts{"volume p", "volume q", "claim d"}));

  // Ours: volumes beside each other, and claims when all of them are through.
  BindRun run;
  run.begin(two_static(run));
  EXPECT_EQ(run.actions.size(), 2U);
  BindRun both;
  both.begin(mixed(both));
  EXPECT_EQ(both.actions.size(), 1U);
  both.perform(both.next());
  EXPECT_EQ(both.actions.size(), 2U);
}

TEST(BindingWrites, AllIsCheckedBeforeTheFirstWrite) {
  BindRun run;
  const RecordedPlan plan = two_static(run);
  api::PersistentVolume taken = run.store.volume("q");
  taken.spec.claim_ref = api::ObjectReference{.ns = "ns", .name = "x", .uid = "claim-x"};
  run.store.put(taken);
  run.store.show(run.place.catalog);
  run.begin(plan);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kVolumeTaken)});
  EXPECT_TRUE(run.sent().empty());
  EXPECT_FALSE(run.outcome().needs_undo);
}

TEST(BindingWrites, WhatTheCacheDoesNotShowIsReadFirst) {
  BindRun run;
  const RecordedPlan plan = two_static(run);
  run.place.catalog.remove_volume("q");
  run.place.catalog.remove_claim("ns", "d");
  run.begin(plan);
  EXPECT_EQ(run.actions.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<ReadObject>(run.actions[0]));
  run.run();
  EXPECT_EQ(run.sent(), (Texts{"volume p", "volume q"}));
  EXPECT_EQ(run.binding->phase(), Binding::Phase::kWaiting);
}

TEST(BindingWrites, CacheThatIsBehindThePlanDoesNotDecide) {
  BindRun run;
  const RecordedPlan plan = two_static(run);
  // As it was before the volume was freed.
  run.place.add(pv("q").of("wait").version("50").names("x", "claim-x"));
  run.begin(plan);
  run.run();
  EXPECT_EQ(uid_on(run, "q"), "claim-d");
}

TEST(BindingWrites, ClaimOfAnotherUidIsNotWrittenFor) {
  BindRun run;
  const RecordedPlan plan = two_static(run);
  api::PersistentVolumeClaim again = run.store.claim("d");
  again.metadata.uid = "another";
  run.store.put(again);
  run.store.show(run.place.catalog);
  run.begin(plan);
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpPod);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kClaimReplaced)});
  EXPECT_TRUE(run.sent().empty());
}

TEST(BindingWrites, UidsAloneCanBeChecked) {
  Switches switches = Switches::upstream();
  switches.verify_uids = true;
  BindRun run(switches);
  const RecordedPlan plan = two_static(run);
  api::PersistentVolumeClaim again = run.store.claim("d");
  again.metadata.uid = "another";
  run.store.put(again);
  touch_volume(run, "p");
  run.store.show(run.place.catalog);
  run.begin(plan);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kClaimReplaced)});
}

TEST(BindingWrites, LostAnswerIsLookedUpBeforeAnythingIsRepeated) {
  for (const bool is_applied : {false, true}) {
    BindRun run;
    run.store.put(*pvc("c").of("wait"));
    run.store.put(*pv("p").of("wait").on("n1"));
    run.begin(run.plan(pod("a").claim("c"), "n1"));
    run.lose_write(is_applied);
    ASSERT_EQ(run.actions.size(), 1U);
    EXPECT_EQ(std::get<ReadObject>(run.actions[0]).object, volume_id("p"));
    run.run();
    EXPECT_EQ(uid_on(run, "p"), "claim-c");
    EXPECT_EQ(run.sent().size(), 1U);  // in all: the first, or after looking the second
    EXPECT_EQ(run.binding->undo_scope().bindings, std::vector<bool>{true});
    EXPECT_EQ(run.binding->undo_scope().landed_by, Moment{});  // it can no longer come
  }
}

TEST(BindingWrites, AnswersThatStayLostAreLeftForLater) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  while (!run.is_over()) {
    std::holds_alternative<Write>(run.actions.front()) ? run.lose_write(false)
                                                       : run.perform(run.next());
  }
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kRetryHere);
  EXPECT_EQ(run.binding->undo_scope().bindings, std::vector<bool>{true});
  EXPECT_EQ(run.binding->undo_scope().landed_by, Moment(run.policy.landing_max));
}

TEST(BindingWrites, EachRefusalHasItsMeaning) {
  struct Row {
    ErrorCode code;
    BindVerdict verdict;
    std::string_view reason;
  };
  for (const Row& row :
       {Row{ErrorCode::kForbidden, BindVerdict::kGiveUpNode, bind_reason::kRefused},
        Row{ErrorCode::kLimit, BindVerdict::kGiveUpNode, bind_reason::kRefused},
        Row{ErrorCode::kNotFound, BindVerdict::kGiveUpPod, bind_reason::kClaimGone},
        Row{ErrorCode::kUnavailable, BindVerdict::kRetryHere, bind_reason::kTrouble},
        Row{ErrorCode::kTooManyRequests, BindVerdict::kRetryHere, bind_reason::kTrouble},
        Row{ErrorCode::kTimeout, BindVerdict::kRetryHere, bind_reason::kTrouble},
        Row{ErrorCode::kServerError, BindVerdict::kRetryHere, bind_reason::kTrouble},
        Row{ErrorCode::kUnauthorized, BindVerdict::kRetryHere, bind_reason::kTrouble},
        Row{ErrorCode::kCancelled, BindVerdict::kRetryHere, bind_reason::kTrouble}}) {
    BindRun run;
    run.store.put(*pvc("c").of("wait-prov"));
    run.begin(run.plan(pod("a").claim("c"), "n1"));
    run.fail_write(row.code, "said no");
    EXPECT_EQ(run.outcome().verdict, row.verdict) << name_of(row.code);
    EXPECT_EQ(run.codes(), Texts{std::string(row.reason)}) << name_of(row.code);
    EXPECT_EQ(run.outcome().text, "said no");
    EXPECT_FALSE(run.outcome().needs_undo) << "nothing was applied";
  }
}

TEST(BindingWrites, ServerIsLeftAloneForAsLongAsItAsks) {
  BindRun run;
  run.store.put(*pvc("c").of("wait-prov"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.next();
  run.tell(WriteFailed{
      .object = claim_id({.ns = "ns", .name = "c"}),
      .error =
          Error(ErrorCode::kTooManyRequests, "slowly").with_retry_after(std::chrono::seconds(3))});
  EXPECT_EQ(run.outcome().retry_after, std::chrono::seconds(3));
}

TEST(BindingWrites, WhatIsInvalidIsLookedAtOnce) {
  BindRun run;
  run.store.put(*pvc("c").of("wait-prov"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.fail_write(ErrorCode::kInvalid, "not like this");
  run.run();
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kRefused)});
  EXPECT_EQ(run.sent().size(), 0U);
}

TEST(BindingWrites, ReadThatFailsIsLeftForLater) {
  BindRun run;
  run.store.put(*pvc("c").of("wait-prov"));
  run.begin(run.plan(pod("a").claim("c"), "n1"));
  run.lose_write(true);
  run.next();
  run.tell(ReadFailed{.object = claim_id({.ns = "ns", .name = "c"}),
                      .error = Error(ErrorCode::kUnavailable, "away")});
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kRetryHere);
  EXPECT_EQ(run.binding->undo_scope().provisions, std::vector<bool>{true});
  EXPECT_GT(run.binding->undo_scope().landed_by, Moment{});
}

TEST(BindingWrites, EndsOnlyWhenEveryWriteHasItsAnswer) {
  BindRun run;
  run.begin(two_static(run));
  const BindAction first = run.next();
  run.fail_write(ErrorCode::kForbidden);
  EXPECT_FALSE(run.is_over());
  EXPECT_EQ(run.binding->phase(), Binding::Phase::kEnding);
  run.perform(first);
  EXPECT_EQ(run.outcome().verdict, BindVerdict::kGiveUpNode);
  EXPECT_EQ(run.binding->undo_scope().bindings, (std::vector<bool>{true, false}));
  // Answers that come later change nothing.
  run.perform(first);
  EXPECT_TRUE(run.actions.empty());
}

TEST(BindingWrites, WhatOthersTookBackIsNotWrittenInTheirPlace) {
  BindRun run;
  run.store.put(*pvc("c").of("wait"));
  run.store.put(*pv("p").of("wait").on("n1").names("c", "claim-c"));
  const RecordedPlan plan = run.plan(pod("a").claim("c"), "n1");
  api::PersistentVolume reset = run.store.volume("p");
  reset.spec.claim_ref.reset();
  run.store.put(reset);
  run.store.show(run.place.catalog);
  run.begin(plan);
  EXPECT_EQ(run.codes(), Texts{std::string(bind_reason::kReferenceReset)});
  EXPECT_TRUE(run.sent().empty());
}

}  // namespace
}  // namespace berth::volumes
