#include "volumes/writes.h"

#include <gtest/gtest.h>

#include <string>

#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"
#include "volumes/versions.h"

namespace berth::volumes {
namespace {

using testing::pv;
using testing::pvc;

RecordedBinding binding() {
  return {.claim = {.ns = "ns", .name = "c", .uid = "claim-c", .version = "3"},
          .volume = {.name = "p", .uid = "volume-p", .version = "5"},
          .reference = std::string(RecordedBinding::kWhole),
          .adds_mark = true};
}

RecordedProvision provision() {
  return {.claim = {.ns = "ns", .name = "c", .uid = "claim-c", .version = "3"}, .is_ours = true};
}

// F15, 3.3: the reference exactly, and the mark.
TEST(Writes, PointAVolumeAtAClaim) {
  EXPECT_EQ(merge_patch(write_of(binding())),
            R"({"metadata":{"uid":"volume-p","resourceVersion":"5",)"
            R"("annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},)"
            R"("spec":{"claimRef":{"kind":"PersistentVolumeClaim","namespace":"ns","name":"c",)"
            R"("uid":"claim-c","apiVersion":"v1","resourceVersion":"3","fieldPath":null}}})");
}

TEST(Writes, LeaveTheMarkToUsersWhoNamedTheClaim) {
  RecordedBinding named = binding();
  named.reference = RecordedBinding::kUid;
  named.adds_mark = false;
  EXPECT_EQ(write_of(named).changes.annotations.size(), 0U);
  EXPECT_EQ(write_of(named).changes.reference, Changes::Reference::kSet);
}

TEST(Writes, AskForANode) {
  EXPECT_EQ(merge_patch(write_of(provision(), "n1")),
            R"({"metadata":{"uid":"claim-c","resourceVersion":"3",)"
            R"("annotations":{"volume.kubernetes.io/selected-node":"n1"}}})");
}

TEST(Writes, ThatChangeNothingStillHavePreconditions) {
  RecordedBinding complete = binding();
  complete.reference = RecordedBinding::kNothing;
  complete.adds_mark = false;
  const Write write = write_of(complete);
  EXPECT_TRUE(write.changes.empty());
  EXPECT_EQ(merge_patch(write), R"({"metadata":{"uid":"volume-p","resourceVersion":"5"}})");
}

TEST(Writes, TakeThingsAway) {
  Write write = write_of(binding());
  write.changes = {.reference = Changes::Reference::kRemoved,
                   .annotations = {{.key = "a\"b", .value = {}}}};
  EXPECT_EQ(merge_patch(write),
            R"({"metadata":{"uid":"volume-p","resourceVersion":"5","annotations":{"a\"b":null}},)"
            R"("spec":{"claimRef":null}})");
  write.changes = {.reference = Changes::Reference::kUnnamed};
  EXPECT_EQ(merge_patch(write),
            R"({"metadata":{"uid":"volume-p","resourceVersion":"5"},)"
            R"("spec":{"claimRef":{"uid":null,"resourceVersion":null}}})");
}

TEST(Changes, AreWhatDiffers) {
  const VolumePtr before = pv("p").note("stays", "1").note(kBoundByController, "yes");
  EXPECT_TRUE(changes_between(*before, *before).empty());
  const VolumePtr after = claim_volume(before, *pvc("c")).volume;
  const Changes changes = changes_between(*before, *after);
  EXPECT_EQ(changes.reference, Changes::Reference::kSet);
  EXPECT_EQ(changes.claim_ref, *after->spec.claim_ref);
  EXPECT_TRUE(changes.annotations.empty());
  EXPECT_EQ(changes_between(*after, *before).reference, Changes::Reference::kRemoved);

  const Changes asks = changes_between(*pvc("c").note("goes", "1"), *pvc("c").selected("n1"));
  ASSERT_EQ(asks.annotations.size(), 2U);
  EXPECT_EQ(asks.annotations[0], (AnnotationChange{.key = "goes", .value = {}}));
  EXPECT_EQ(asks.annotations[1].value, "n1");
}

TEST(Versions, CompareAsNumbersOfAnyLength) {
  EXPECT_TRUE(has_seen("10", "9"));
  EXPECT_FALSE(has_seen("9", "10"));
  EXPECT_TRUE(has_seen("10", "10"));
  EXPECT_TRUE(is_newer("100000000000000000000000000000", "99999999999999999999999999999"));
  EXPECT_FALSE(is_newer("10", "10"));
  // Nothing is known of what is no number but that it is the same.
  EXPECT_TRUE(has_seen("x", "x"));
  EXPECT_FALSE(has_seen("x", "1"));
  EXPECT_FALSE(has_seen("2", "x"));
  EXPECT_FALSE(has_seen("2", ""));
  EXPECT_FALSE(has_seen("02", "1"));
}

}  // namespace
}  // namespace berth::volumes
