// Taking back what a binding wrote.
#include "volumes/undo.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/names.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/testing/api_store.h"
#include "volumes/testing/bind_run.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/undo_rules.h"
#include "volumes/undo_scope.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

using namespace std::chrono_literals;
using testing::BindRun;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::Texts;

class UndoTest : public ::testing::Test {
 protected:
  // Static: c to p. Written, if not said otherwise.
  void bind_static(bool is_written = true) {
    run->store.put(*pvc("c").of("wait"));
    run->store.put(*pv("p").of("wait").on("n1"));
    bind(is_written);
  }
  void bind_dynamic(bool is_written = true) {
    run->store.put(*pvc("c").of("wait-prov"));
    bind(is_written);
  }
  void bind(bool is_written) {
    plan = run->plan(pod("a").claim("c"), "n1");
    run->begin(plan);
    if (is_written) {
      run->run();
    }
    run->actions.clear();
    run->store.writes.clear();
  }
  // From the recorded plan alone, as another process would.
  const UndoOutcome& undo(Moment landed_by = {}) {
    auto read = plan_from_text(*to_text(plan));
    EXPECT_TRUE(read.has_value());
    run->begin_undo(*read, whole_scope(*read, landed_by));
    run->run();
    return outcome();
  }
  const UndoOutcome& outcome() const {
    EXPECT_TRUE(run->undoing->outcome().has_value());
    static const UndoOutcome kNone;
    return run->undoing->outcome() ? *run->undoing->outcome() : kNone;
  }
  std::string held() const {
    return outcome().held.empty() ? "" : std::string(outcome().held[0].code);
  }
  bool is_selected() const {
    return find_annotation(run->store.claim("c").metadata, kSelectedNode) != nullptr;
  }
  void change_volume(auto change) {
    api::PersistentVolume volume = run->store.volume("p");
    change(volume);
    run->store.put(volume);
  }

  std::unique_ptr<BindRun> run = std::make_unique<BindRun>();
  RecordedPlan plan;
};

TEST_F(UndoTest, ReferenceAndMarkGo) {
  bind_static();
  EXPECT_TRUE(undo().is_complete());
  EXPECT_TRUE(outcome().held.empty());
  EXPECT_FALSE(run->store.volume("p").spec.claim_ref.has_value());
  EXPECT_TRUE(run->store.volume("p").metadata.annotations.empty());
}

TEST_F(UndoTest, ReadsBeforeItWrites) {
  bind_static();
  run->begin_undo(plan, whole_scope(plan, {}));
  ASSERT_EQ(run->actions.size(), 1U);
  EXPECT_EQ(std::get<ReadObject>(run->actions[0]).object, volume_id("p"));
}

TEST_F(UndoTest, MarkThatWasThereBeforeStays) {
  run->store.put(*pvc("c").of("wait"));
  run->store.put(*pv("p").of("wait").on("n1").note(kBoundByController, "yes"));
  bind(true);
  undo();
  EXPECT_FALSE(run->store.volume("p").spec.claim_ref.has_value());
  EXPECT_NE(find_annotation(run->store.volume("p").metadata, kBoundByController), nullptr);
}

TEST_F(UndoTest, UserWhoNamedTheClaimKeepsTheName) {
  run->store.put(*pvc("c").of("wait"));
  run->store.put(*pv("p").of("wait").on("n1").names("c"));
  bind(true);
  EXPECT_EQ(run->store.volume("p").spec.claim_ref->uid, "claim-c");
  undo();
  const auto& reference = run->store.volume("p").spec.claim_ref;
  ASSERT_TRUE(reference.has_value());
  EXPECT_EQ(reference->name, "c");
  EXPECT_EQ(reference->uid, "");
  EXPECT_EQ(reference->resource_version, "");
}

TEST_F(UndoTest, UserWhoNamedTheClaimAfterItWasPlannedKeepsTheNameToo) {
  bind_static(/*is_written=*/false);
  change_volume([](api::PersistentVolume& volume) {
    volume.spec.claim_ref = api::ObjectReference{.ns = "ns", .name = "c"};
  });
  // The conflict is read, and the uid filled in.
  run->begin(plan);
  run->run();
  EXPECT_EQ(run->store.volume("p").spec.claim_ref->uid, "claim-c");
  undo();
  ASSERT_TRUE(run->store.volume("p").spec.claim_ref.has_value());
  EXPECT_EQ(run->store.volume("p").spec.claim_ref->uid, "");
}

TEST_F(UndoTest, ReferenceThatWasCompleteIsNotOurs) {
  run->store.put(*pvc("c").of("wait"));
  run->store.put(*pv("p").of("wait").on("n1").names("c", "claim-c"));
  bind(true);
  undo();
  EXPECT_TRUE(run->objects_read.empty());
  EXPECT_EQ(run->store.volume("p").spec.claim_ref->uid, "claim-c");
}

TEST_F(UndoTest, BoundVolumeIsHeldByItsClaim) {
  bind_static();
  run->store.finish_volume("p");  // the claim does not show it yet
  undo();
  EXPECT_TRUE(run->store.writes.empty());
  EXPECT_EQ(held(), bind_reason::kHeldByClaim);
  EXPECT_EQ(outcome().held[0].text, "pv \"p\" is bound to PVC \"ns/c\"");
  EXPECT_EQ(outcome().held[0].claim, "ns/c");
}

TEST_F(UndoTest, ReleasedVolumeIsLeftToItsPolicy) {
  for (const std::string phase : {"Released", "Failed"}) {
    run = std::make_unique<BindRun>();
    bind_static();
    change_volume([&phase](api::PersistentVolume& volume) { volume.status.phase = phase; });
    undo();
    EXPECT_TRUE(run->store.writes.empty());
    EXPECT_EQ(held(), bind_reason::kHeldByVolume);
  }
}

TEST_F(UndoTest, VolumeOfAnotherClaimIsNotTouched) {
  bind_static();
  change_volume([](api::PersistentVolume& volume) { volume.spec.claim_ref->uid = "claim-x"; });
  EXPECT_TRUE(undo().is_complete());
  EXPECT_TRUE(outcome().held.empty());
  EXPECT_TRUE(run->store.writes.empty());
}

TEST_F(UndoTest, ReferenceThatSomebodyElseWroteIsNotTouched) {
  bind_static();
  change_volume(
      [](api::PersistentVolume& volume) { volume.spec.claim_ref->resource_version = "999"; });
  undo();
  EXPECT_TRUE(run->store.writes.empty());
  EXPECT_EQ(held(), bind_reason::kNotOurs);
}

TEST_F(UndoTest, VolumeThatWasMadeAgainIsNotTouched) {
  bind_static();
  change_volume([](api::PersistentVolume& volume) { volume.metadata.uid = "another"; });
  undo();
  EXPECT_TRUE(run->store.writes.empty());
}

TEST_F(UndoTest, WhatIsGoneNeedsNoUndo) {
  bind_static();
  run->store.remove_volume("p");
  EXPECT_TRUE(undo().is_complete());
  run = std::make_unique<BindRun>();
  bind_dynamic();
  run->store.remove_claim("c");
  EXPECT_TRUE(undo().is_complete());
  EXPECT_TRUE(run->store.writes.empty());
}

TEST_F(UndoTest, WishForTheNodeGoes) {
  bind_dynamic();
  EXPECT_TRUE(is_selected());
  EXPECT_TRUE(undo().is_complete());
  EXPECT_FALSE(is_selected());
  EXPECT_EQ(run->objects_read,
            (std::vector<ObjectId>{claim_id({.ns = "ns", .name = "c"}), volume_id("pvc-claim-c")}));
}

TEST_F(UndoTest, WishForADeadNodeDoesNotComeBack) {
  run->store.put(*pvc("c").of("wait-prov").selected("dead"));
  bind(true);
  EXPECT_EQ(plan.provisions[0].before, "dead");
  undo();
  EXPECT_FALSE(is_selected());
}

TEST_F(UndoTest, WishThatWasThereBeforeIsNotOurs) {
  run->store.put(*pvc("c").of("wait-prov").selected("n1"));
  bind(true);
  undo();
  EXPECT_TRUE(is_selected());
}

TEST_F(UndoTest, WishForAnotherNodeIsNotOurs) {
  bind_dynamic();
  api::PersistentVolumeClaim claim = run->store.claim("c");
  claim.metadata.annotations.insert_or_assign(std::string(kSelectedNode), "n2");
  run->store.put(claim);
  undo();
  EXPECT_TRUE(is_selected());
  EXPECT_TRUE(run->store.writes.empty());
}

TEST_F(UndoTest, ClaimThatWasMadeAgainIsNotTouched) {
  bind_dynamic();
  api::PersistentVolumeClaim claim = run->store.claim("c");
  claim.metadata.uid = "another";
  run->store.put(claim);
  undo();
  EXPECT_TRUE(is_selected());
}

TEST_F(UndoTest, ClaimThatHasAVolumeKeepsItsWish) {
  bind_dynamic();
  run->store.provision("c", "n1");
  run->store.finish_binding("pvc-claim-c", "c");
  undo();
  EXPECT_TRUE(is_selected());
  EXPECT_EQ(held(), bind_reason::kHeldByVolume);
  EXPECT_EQ(outcome().held[0].volume, "pvc-claim-c");
}

TEST_F(UndoTest, VolumeThatWasMadeCountsBeforeTheClaimNamesIt) {
  bind_dynamic();
  run->store.provision("c", "n1");
  undo();
  EXPECT_TRUE(is_selected());
  EXPECT_EQ(held(), bind_reason::kHeldByVolume);
}

// A provisioner may be told to name its volumes otherwise.
TEST_F(UndoTest, VolumeThatWasMadeUnderAnotherNameCountsToo) {
  for (const std::string uid : {"claim-c", ""}) {
    run = std::make_unique<BindRun>();
    bind_dynamic();
    run->store.put(*pv("vol-17").of("wait-prov").on("n1").names("c", uid));
    run->store.show(run->place.catalog);
    undo();
    EXPECT_TRUE(is_selected());
    EXPECT_EQ(held(), bind_reason::kHeldByVolume);
    EXPECT_EQ(outcome().held[0].volume, "vol-17");
  }
}

TEST_F(UndoTest, VolumeThatOnlyTheCacheHasDoesNotCount) {
  bind_dynamic();
  run->store.put(*pv("vol-17").of("wait-prov").on("n1").names("c", "claim-c"));
  run->store.show(run->place.catalog);
  run->store.remove_volume("vol-17");
  EXPECT_TRUE(undo().is_complete());
  EXPECT_FALSE(is_selected());
}

TEST_F(UndoTest, VolumeOfAnEarlierClaimOfTheNameDoesNotCount) {
  bind_dynamic();
  run->store.put(*pv("vol-17").of("wait-prov").on("n1").names("c", "claim-before"));
  run->store.show(run->place.catalog);
  EXPECT_TRUE(undo().is_complete());
  EXPECT_FALSE(is_selected());
}

TEST_F(UndoTest, ReadOfAVolumeThatFailsLeavesTheWishForLater) {
  bind_dynamic();
  run->store.put(*pv("vol-17").of("wait-prov").on("n1").names("c", "claim-before"));
  run->store.show(run->place.catalog);
  run->begin_undo(plan, whole_scope(plan, {}));
  run->perform(run->next());  // the claim
  run->perform(run->next());  // pvc-claim-c
  run->next();
  run->tell_undo(
      ReadFailed{.object = volume_id("vol-17"), .error = Error(ErrorCode::kUnavailable, "away")});
  EXPECT_FALSE(outcome().is_complete());
  EXPECT_TRUE(is_selected());
}

TEST_F(UndoTest, ConflictIsReadAndDecidedAgain) {
  bind_static();
  run->begin_undo(plan, whole_scope(plan, {}));
  run->perform(run->next());  // read
  run->store.finish_volume("p");
  run->run();
  EXPECT_EQ(held(), bind_reason::kHeldByClaim);
  EXPECT_EQ(run->store.volume("p").spec.claim_ref->uid, "claim-c");
}

TEST_F(UndoTest, LostAnswerIsLookedUp) {
  for (const bool is_applied : {false, true}) {
    run = std::make_unique<BindRun>();
    bind_static();
    run->begin_undo(plan, whole_scope(plan, {}));
    run->perform(run->next());
    run->lose_write(is_applied);
    run->run();
    EXPECT_TRUE(outcome().is_complete());
    EXPECT_FALSE(run->store.volume("p").spec.claim_ref.has_value());
  }
}

TEST_F(UndoTest, TroubleIsLeftForLater) {
  bind_static();
  run->begin_undo(plan, whole_scope(plan, {}));
  run->perform(run->next());
  run->fail_write(ErrorCode::kUnavailable, "away");
  EXPECT_FALSE(outcome().is_complete());
  EXPECT_EQ(outcome().unfinished[0].volume, "p");
  EXPECT_EQ(outcome().unfinished[0].text, "away");
  EXPECT_TRUE(undo().is_complete());
  EXPECT_FALSE(run->store.volume("p").spec.claim_ref.has_value());
}

TEST_F(UndoTest, ReadThatFailsIsLeftForLater) {
  bind_static();
  run->begin_undo(plan, whole_scope(plan, {}));
  run->next();
  run->tell_undo(
      ReadFailed{.object = volume_id("p"), .error = Error(ErrorCode::kUnavailable, "away")});
  EXPECT_FALSE(outcome().is_complete());
  run->begin_undo(plan, whole_scope(plan, {}));
  run->tell_undo(Stopped{});
  EXPECT_FALSE(outcome().is_complete());
}

TEST_F(UndoTest, ConflictsWithoutEndAreLeftForLater) {
  bind_static();
  run->begin_undo(plan, whole_scope(plan, {}));
  while (!run->actions.empty()) {
    const BindAction action = run->next();
    if (std::holds_alternative<Write>(action)) {
      change_volume([](api::PersistentVolume& volume) {
        volume.metadata.labels["n"] = volume.metadata.resource_version;
      });
    }
    run->perform(action);
  }
  EXPECT_FALSE(outcome().is_complete());
  EXPECT_EQ(run->store.writes.size(), static_cast<std::size_t>(run->policy.writes_max));
}

TEST_F(UndoTest, MayBeRepeated) {
  bind_static();
  undo();
  const std::string version = run->store.volume("p").metadata.resource_version;
  EXPECT_TRUE(undo().is_complete());
  EXPECT_EQ(run->store.volume("p").metadata.resource_version, version);
}

TEST_F(UndoTest, WhatMayStillComeIsWaitedFor) {
  bind_static(/*is_written=*/false);
  run->begin(plan);
  const BindAction late = run->next();  // sent by a process that then died
  run->begin_undo(plan, whole_scope(plan, Moment(90s)));
  run->run();
  EXPECT_FALSE(run->undoing->outcome().has_value());
  EXPECT_EQ(run->wakes_at, Moment(90s));
  ASSERT_TRUE(run->store.apply(std::get<Write>(late)).has_value());
  run->pass(60s);
  EXPECT_FALSE(run->undoing->outcome().has_value());
  run->pass(30s);
  EXPECT_TRUE(outcome().is_complete());
  EXPECT_FALSE(run->store.volume("p").spec.claim_ref.has_value());
}

TEST_F(UndoTest, WhatWasTakenBackCannotComeAgain) {
  bind_static();
  EXPECT_TRUE(undo(Moment(90s)).is_complete());  // the version has moved on
}

TEST_F(UndoTest, LooksOnlyAtWhatMayBeWritten) {
  bind_static();
  run->begin_undo(plan, {.bindings = {false}, .provisions = {}});
  EXPECT_TRUE(run->actions.empty());
  EXPECT_TRUE(outcome().is_complete());
}

}  // namespace
}  // namespace berth::volumes
