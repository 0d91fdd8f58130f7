#include "framework/status.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "base/error.h"

namespace berth::framework {
namespace {

constexpr ReasonKind kA{.id = "A", .text = "a"};
constexpr ReasonKind kB{.id = "B", .text = "b"};
constexpr ReasonKind kTooFew{.id = "TooFew", .text = "{} of {} {}"};

TEST(Status, SF_001_NothingSaidIsSuccessWithoutMessageOrError) {
  const Status status;
  EXPECT_EQ(status.code(), Code::kSuccess);
  EXPECT_EQ(status.message(), "");
  EXPECT_FALSE(status.to_error().has_value());
}

TEST(Status, SF_002_MessageIsTheReasonsSeparatedByCommas) {
  const Status status = Status::with_reasons(
      Code::kUnschedulable, {{.kind = kA, .values = {}}, {.kind = kB, .values = {}}});
  EXPECT_EQ(status.message(), "a, b");
  ASSERT_TRUE(status.to_error().has_value());
  EXPECT_EQ(status.to_error()->text(), "a, b");
}

TEST(Status, SF_003_WaitAndSkipAreNoErrors) {
  EXPECT_FALSE(Status::wait().to_error().has_value());
  EXPECT_FALSE(Status::skip().to_error().has_value());
}

TEST(Status, SF_004_ThreeCodesAreRejections) {
  const Reason reason{.kind = kA, .values = {}};
  EXPECT_TRUE(Status::unschedulable(reason).is_rejected());
  EXPECT_TRUE(Status::unresolvable(reason).is_rejected());
  EXPECT_TRUE(Status::pending(reason).is_rejected());
  EXPECT_FALSE(Status::error(Error(ErrorCode::kInternal, "e")).is_rejected());
  EXPECT_FALSE(Status::wait().is_rejected());
  EXPECT_FALSE(Status::skip().is_rejected());
  EXPECT_FALSE(Status::success().is_rejected());
}

TEST(Status, AnErrorComesFirstInItsMessage) {
  const Status status = Status::error(Error(ErrorCode::kTimeout, "too late"));
  EXPECT_EQ(status.message(), "too late");
  EXPECT_EQ(status.to_error()->code(), ErrorCode::kTimeout);
}

TEST(Status, IsEqualWhenCodePluginReasonsAndErrorAre) {
  const Reason reason{.kind = kA, .values = {{.name = "node", .text = "n"}}};
  EXPECT_EQ(Status::unschedulable(reason).from("P"), Status::unschedulable(reason).from("P"));
  EXPECT_NE(Status::unschedulable(reason).from("P"), Status::unschedulable(reason).from("Q"));
  EXPECT_NE(Status::unschedulable(reason), Status::unresolvable(reason));
  EXPECT_NE(Status::unschedulable(reason), Status::unschedulable({.kind = kA, .values = {}}));
  EXPECT_NE(Status::error(Error(ErrorCode::kInternal, "a")),
            Status::error(Error(ErrorCode::kInternal, "b")));
}

TEST(Status, SaysWhatCanHelp) {
  EXPECT_EQ(Status().remedy(), Remedy::kTime);
  EXPECT_EQ(Status::unschedulable({.kind = kA, .values = {}}).with_remedy(Remedy::kHuman).remedy(),
            Remedy::kHuman);
}

TEST(Reason, TextHasTheValuesInItsPlaces) {
  const Reason whole{.kind = kTooFew, .values = {{"had", "1"}, {"wanted", "2"}, {"what", "cpu"}}};
  EXPECT_EQ(whole.text(), "1 of 2 cpu");
  const Reason few{.kind = kTooFew, .values = {{"had", "1"}}};
  EXPECT_EQ(few.text(), "1 of {} {}");
  const Reason many{.kind = kA, .values = {{"node", "n"}}};
  EXPECT_EQ(many.text(), "a");
}

}  // namespace
}  // namespace berth::framework
