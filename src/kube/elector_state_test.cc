#include "kube/elector_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/objects/lease.h"
#include "api/time.h"
#include "base/error.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using State = ElectorState;

class ElectorStateTest : public ::testing::Test {
 public:
  template <typename Action>
  Action expect(const State::Input& input) {
    const auto action = state.step(input, now, wall, random);
    const auto* wanted = std::get_if<Action>(&action);
    EXPECT_NE(wanted, nullptr) << "action " << action.index();
    return wanted != nullptr ? *wanted : Action{};
  }

  static api::Lease lease_of(api::LeaseSpec spec, std::string version) {
    api::Lease lease{.spec = std::move(spec)};
    lease.metadata.uid = "u";
    lease.metadata.resource_version = std::move(version);
    return lease;
  }
  api::Lease held_by(const std::string& holder, const std::string& version, int renewals = 0) {
    return lease_of({.holder_identity = holder,
                     .lease_duration_seconds = 15,
                     .renew_time = wall + seconds(renewals),
                     .lease_transitions = 3},
                    version);
  }
  // Creates the lease and leads, as of the time of the call.
  api::Lease lead() {
    expect<State::Read>(State::Tick{});
    const auto create = expect<State::Create>(State::LeaseRead{std::nullopt});
    const api::Lease lease = lease_of(create.lease.spec, "1");
    expect<State::Sleep>(State::Written{lease});
    EXPECT_TRUE(state.is_leader());
    return lease;
  }

  State state{{.lease = {"n", "l"}, .identity = "me"}};
  rt::Time now{seconds(1000)};
  api::MicroTime wall{hours(1)};
  rt::Random random{1};
};

TEST_F(ElectorStateTest, CreatesALeaseThatIsNotThere) {
  expect<State::Read>(State::Tick{});
  const auto create = expect<State::Create>(State::LeaseRead{std::nullopt});
  EXPECT_EQ(create.lease.metadata.name, "l");
  EXPECT_EQ(create.lease.spec.holder_identity, "me");
  EXPECT_EQ(create.lease.spec.lease_duration_seconds, 15);
  EXPECT_EQ(create.lease.spec.acquire_time, wall);
  EXPECT_EQ(create.lease.spec.renew_time, wall);
  EXPECT_EQ(create.lease.spec.lease_transitions, 0);
  EXPECT_FALSE(state.is_leader());
  EXPECT_TRUE(state.has_taken_over());  // who knows from whom
}

TEST_F(ElectorStateTest, LeadsUntilTheRenewDeadlineFromWhenTheWriteWasSent) {
  expect<State::Read>(State::Tick{});
  const auto create = expect<State::Create>(State::LeaseRead{std::nullopt});
  const rt::Time sent = now;
  now += seconds(3);
  expect<State::Write>(State::Written{lease_of(create.lease.spec, "1")});
  EXPECT_TRUE(state.is_leader());
  EXPECT_EQ(state.leads_until(), sent + seconds(10));
}

TEST_F(ElectorStateTest, AnAnswerThatComesTooLateMakesNobodyLeader) {
  expect<State::Read>(State::Tick{});
  const auto create = expect<State::Create>(State::LeaseRead{std::nullopt});
  now += seconds(10);
  expect<State::Sleep>(State::Written{lease_of(create.lease.spec, "1")});
  EXPECT_FALSE(state.is_leader());
}

TEST_F(ElectorStateTest, WaitsUntilAForeignLeaseHasNotChangedForItsDuration) {
  expect<State::Read>(State::Tick{});
  // Its times are long past: they do not count.
  expect<State::Sleep>(State::LeaseRead{held_by("other", "5", -1000)});
  EXPECT_EQ(state.holder(), "other");
  now += seconds(14);
  expect<State::Sleep>(State::LeaseRead{held_by("other", "6", -999)});
  now += milliseconds(14'999);
  expect<State::Sleep>(State::LeaseRead{held_by("other", "6", -999)});
  now += milliseconds(1);
  const auto write = expect<State::Write>(State::LeaseRead{held_by("other", "7", -999)});
  EXPECT_EQ(write.resource_version, "7");
  EXPECT_EQ(write.spec.holder_identity, "me");
  EXPECT_EQ(write.spec.lease_transitions, 4);
  EXPECT_TRUE(state.has_taken_over());
}

TEST_F(ElectorStateTest, TakesAReleasedLeaseAtOnce) {
  expect<State::Read>(State::Tick{});
  api::Lease released = held_by("", "5");
  released.spec.holder_identity.reset();
  EXPECT_EQ(expect<State::Write>(State::LeaseRead{released}).resource_version, "5");
  EXPECT_FALSE(state.has_taken_over());
}

TEST_F(ElectorStateTest, ALeaseOfOurNameThatWeDidNotWriteIsSomebodyElses) {
  expect<State::Read>(State::Tick{});
  expect<State::Sleep>(State::LeaseRead{held_by("me", "5")});
  now += seconds(15);
  expect<State::Write>(State::LeaseRead{held_by("me", "5")});
}

TEST_F(ElectorStateTest, RenewsEveryRetryPeriodUnderItsVersion) {
  const api::Lease lease = lead();
  now += seconds(2);
  wall += seconds(2);
  const auto write = expect<State::Write>(State::Tick{});
  EXPECT_EQ(write.resource_version, "1");
  EXPECT_EQ(write.spec.renew_time, wall);
  EXPECT_EQ(write.spec.acquire_time, lease.spec.acquire_time);
  EXPECT_EQ(write.spec.lease_transitions, 0);
  EXPECT_EQ(expect<State::Sleep>(State::Written{lease_of(write.spec, "2")}).until,
            now + seconds(2));
  EXPECT_EQ(state.leads_until(), now + seconds(10));
}

TEST_F(ElectorStateTest, ARenewalChangesTheRecordEvenIfTheWallClockGoesBack) {
  const api::Lease lease = lead();
  now += seconds(2);
  wall -= hours(1);
  EXPECT_GT(expect<State::Write>(State::Tick{}).spec.renew_time, lease.spec.renew_time);
}

TEST_F(ElectorStateTest, EndsWhenTheRenewDeadlinePassesWhateverTheReason) {
  lead();
  const rt::Time until = state.leads_until();
  for (int i = 0; i < 100 && state.is_leader(); ++i) {
    auto action = state.step(State::Tick{}, now, wall, random);
    if (std::holds_alternative<State::Write>(action)) {
      EXPECT_LE(std::get<State::Write>(action).deadline, until);
      action = state.step(State::Failed{ErrorCode::kServerError}, now, wall, random);
    }
    ASSERT_TRUE(std::holds_alternative<State::Sleep>(action));
    ASSERT_LE(std::get<State::Sleep>(action).until, until);
    now = std::get<State::Sleep>(action).until;
    if (now == until) {
      expect<State::End>(State::Tick{});
    }
  }
  EXPECT_EQ(now, until);
  EXPECT_FALSE(state.is_leader());
}

TEST_F(ElectorStateTest, LooksTheLeaseUpAfterAnUnknownOutcome) {
  lead();
  now += seconds(2);
  const rt::Time sent = now;
  const auto write = expect<State::Write>(State::Tick{});
  now += seconds(1);
  expect<State::Read>(State::Failed{ErrorCode::kUnknownOutcome});
  // It was applied: it counts from when it was sent.
  expect<State::Write>(State::Tick{});
  now += milliseconds(100);
  expect<State::Sleep>(State::LeaseRead{lease_of(write.spec, "2")});
  EXPECT_EQ(state.leads_until(), sent + seconds(10));
}

TEST_F(ElectorStateTest, AnUnknownOutcomeThatWasNotAppliedExtendsNothing) {
  const api::Lease lease = lead();
  const rt::Time until = state.leads_until();
  now += seconds(2);
  expect<State::Write>(State::Tick{});
  expect<State::Read>(State::Failed{ErrorCode::kUnknownOutcome});
  EXPECT_EQ(expect<State::Write>(State::LeaseRead{lease}).resource_version, "1");
  EXPECT_EQ(state.leads_until(), until);
}

TEST_F(ElectorStateTest, AConflictEndsLeadingOnlyIfSomebodyElseHasIt) {
  api::Lease lease = lead();
  now += seconds(2);
  expect<State::Write>(State::Tick{});
  expect<State::Read>(State::Failed{ErrorCode::kConflict});
  lease.metadata.resource_version = "8";  // somebody put a label on it
  EXPECT_EQ(expect<State::Write>(State::LeaseRead{lease}).resource_version, "8");
  expect<State::Read>(State::Failed{ErrorCode::kConflict});
  expect<State::End>(State::LeaseRead{held_by("other", "9")});
  EXPECT_FALSE(state.is_leader());
}

TEST_F(ElectorStateTest, ALeaseThatWasRemovedEndsLeading) {
  lead();
  now += seconds(2);
  expect<State::Write>(State::Tick{});
  expect<State::Read>(State::Failed{ErrorCode::kNotFound});
  expect<State::End>(State::LeaseRead{std::nullopt});
}

TEST_F(ElectorStateTest, StopReleasesTheLeaseUnderItsVersion) {
  lead();
  const auto write = expect<State::Write>(State::Stop{});
  EXPECT_TRUE(write.is_release);
  EXPECT_EQ(write.resource_version, "1");
  EXPECT_EQ(write.spec.holder_identity, std::nullopt);
  EXPECT_EQ(write.spec.lease_duration_seconds, 1);
  EXPECT_EQ(write.spec.lease_transitions, 0);
  EXPECT_FALSE(state.is_leader());
}

TEST_F(ElectorStateTest, StopLooksFirstWhereARenewalWasPerhapsApplied) {
  lead();
  now += seconds(2);
  const auto renewal = expect<State::Write>(State::Tick{});
  expect<State::Read>(State::Failed{ErrorCode::kUnknownOutcome});
  expect<State::Read>(State::Stop{});
  EXPECT_FALSE(state.is_leader());
  const auto write = expect<State::Write>(State::LeaseRead{lease_of(renewal.spec, "2")});
  EXPECT_TRUE(write.is_release);
  EXPECT_EQ(write.resource_version, "2");
  EXPECT_EQ(write.deadline, now + seconds(10));
  EXPECT_FALSE(state.is_leader());
}

TEST_F(ElectorStateTest, StopGivesBackALeaseThatWasTakenWithoutAnAnswer) {
  expect<State::Read>(State::Tick{});
  const auto create = expect<State::Create>(State::LeaseRead{std::nullopt});
  expect<State::Read>(State::Failed{ErrorCode::kUnknownOutcome});
  expect<State::Read>(State::Stop{});
  EXPECT_TRUE(expect<State::Write>(State::LeaseRead{lease_of(create.lease.spec, "1")}).is_release);
  EXPECT_FALSE(state.is_leader());
}

TEST_F(ElectorStateTest, StopLeavesAloneWhatSomebodyElseHasOrNobodyKnows) {
  for (const State::Input& seen : {State::Input(State::LeaseRead{held_by("other", "5")}),
                                   State::Input(State::LeaseRead{std::nullopt}),
                                   State::Input(State::Failed{ErrorCode::kUnavailable}),
                                   State::Input(State::Failed{ErrorCode::kUnknownOutcome})}) {
    state = State({.lease = {"n", "l"}, .identity = "me"});
    expect<State::Read>(State::Tick{});
    expect<State::Create>(State::LeaseRead{std::nullopt});
    expect<State::Read>(State::Failed{ErrorCode::kUnknownOutcome});
    expect<State::Read>(State::Stop{});
    expect<State::End>(seen);
  }
}

TEST_F(ElectorStateTest, CountsNoFurtherThanANumberGoes) {
  expect<State::Read>(State::Tick{});
  api::Lease lease = held_by("", "5");
  lease.spec.lease_transitions = std::numeric_limits<std::int32_t>::max();
  const auto write = expect<State::Write>(State::LeaseRead{lease});
  EXPECT_EQ(write.spec.lease_transitions, std::numeric_limits<std::int32_t>::max());
}

TEST_F(ElectorStateTest, ALeaseThatPromisesNothingIsHeldAsLongAsOurs) {
  for (const int promised : {0, -1}) {
    state = State({.lease = {"n", "l"}, .identity = "me"});
    api::Lease lease = held_by("other", "5");
    lease.spec.lease_duration_seconds = promised;
    expect<State::Read>(State::Tick{});
    expect<State::Sleep>(State::LeaseRead{lease});
    now += milliseconds(14'999);
    expect<State::Sleep>(State::LeaseRead{lease});
    now += milliseconds(1);
    expect<State::Write>(State::LeaseRead{lease});
  }
}

TEST_F(ElectorStateTest, StopWithoutALeaseReleasesNothing) {
  expect<State::Read>(State::Tick{});
  expect<State::Sleep>(State::LeaseRead{held_by("other", "5")});
  expect<State::End>(State::Stop{});
}

TEST(ElectorStateDeathTest, RefusesDeadlinesThatDoNotProtect) {
  EXPECT_DEATH(
      ElectorState(
          {.identity = "me", .lease_duration = seconds(10), .renew_deadline = seconds(10)}),
      "others wait longer");
}

}  // namespace
}  // namespace berth::kube
