// `berth binder` on a real API server: thousands of orders, two binders at once, and one that is
// killed again and again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "binder/yard.h"
#include "peers/child.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::size_t kOrders = 3000;
const std::string kBound = R"(kai_binder_bind_requests_total{result="bound"})";
const std::string kLeads = R"(leader_election_master_status{name="2ad35f9c.kai.scheduler"})";

class RealBinder : public testing::Test {
 protected:
  void SetUp() override {
    auto yard = Yard::open();
    if (!yard && yard.error().code() == ErrorCode::kNotFound) {
      GTEST_SKIP() << yard.error().text();
    }
    ASSERT_TRUE(yard) << yard.error().text();
    yard_ = *std::move(yard);
  }

  void expect_all_bound(std::size_t count) {
    const Progress end = yard_->progress();
    EXPECT_EQ(end.succeeded, count);
    EXPECT_EQ(end.failed, 0U);
    EXPECT_THAT(end.wrong, IsEmpty());
  }

  std::unique_ptr<Yard> yard_;
};

TEST_F(RealBinder, BindsThreeThousandPodsEachOnce) {
  yard_->order(kOrders);
  const auto binder = yard_->start_binder("binder");
  ASSERT_TRUE(yard_->wait_for_all()) << binder->output();
  expect_all_bound(kOrders);
  EXPECT_EQ(yard_->metric(*binder, kBound), kOrders);
  EXPECT_EQ(yard_->metric(*binder, kLeads), 1);
  EXPECT_THAT(yard_->page(*binder, "health-probe-bind-address", "/healthz"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(yard_->page(*binder, "health-probe-bind-address", "/readyz"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(yard_->page(*binder, "health-probe-bind-address", "/metrics"),
              StartsWith("HTTP/1.1 404 "));

  binder->signal(SIGTERM);
  EXPECT_EQ(binder->wait(), 0) << binder->output();
  EXPECT_THAT(binder->output(), HasSubstr("ended in order"));
}

TEST_F(RealBinder, TwoAtOnceBindEachPodOnce) {
  yard_->order(kOrders);
  auto first = yard_->start_binder("first");
  auto second = yard_->start_binder("second");
  ASSERT_TRUE(yard_->wait_for_all()) << first->output() << second->output();
  expect_all_bound(kOrders);
  const double by_first = yard_->metric(*first, kBound).value_or(-1);
  const double by_second = yard_->metric(*second, kBound).value_or(-1);
  EXPECT_EQ(by_first + by_second, kOrders);
  EXPECT_TRUE(by_first == 0 || by_second == 0) << by_first << " and " << by_second;

  // Whoever leads is asked to end; the other one goes on.
  Child& leader = by_first > 0 ? *first : *second;
  leader.signal(SIGTERM);
  EXPECT_EQ(leader.wait(), 0) << leader.output();
  yard_->order(50);
  ASSERT_TRUE(yard_->wait_for_all(seconds(60)));
  expect_all_bound(kOrders + 50);
}

// Orders wait while the lease of the one before runs out; as soon as the next one has bound some of
// them it is killed. A kill counts if it hit binds between their first write and their status.
TEST_F(RealBinder, FiftyKillsLoseNothing) {
  constexpr std::size_t kKills = 50;
  constexpr std::size_t kRoundsMax = 100;
  constexpr std::size_t kOrdersEach = kOrders / kKills;
  // Few at a time, so that it takes a while.
  const std::vector<std::string> slow_and_short = {"--max-concurrent-reconciles=16",
                                                   "--leader-elect-lease-duration=2s",
                                                   "--leader-elect-renew-deadline=1500ms",
                                                   "--leader-elect-retry-period=300ms"};
  rt::Random random(1);
  std::size_t rounds = 0;
  std::size_t kills = 0;
  // By how far the binds were that a kill hit.
  std::size_t before_binding = 0;
  std::size_t between_writes = 0;
  std::size_t after_status = 0;
  std::set<std::string> half_done;  // before the one that runs
  std::size_t succeeded = 0;        // likewise
  while (kills < kKills && rounds < kRoundsMax) {
    yard_->order(kOrdersEach);
    const auto binder = yard_->start_binder(fmt::format("binder-{}", rounds++), slow_and_short);
    const std::size_t before = yard_->bound_so_far();
    ASSERT_TRUE(yard_->run_until([&] { return yard_->bound_so_far() > before; }, minutes(1)))
        << binder->output();
    yard_->pause(random.between(milliseconds(0), milliseconds(10)));
    binder->signal(SIGKILL);
    binder->wait();
    // What it has sent is applied by then, or never.
    yard_->pause(milliseconds(200));
    const Progress after = yard_->progress();
    ASSERT_THAT(after.wrong, IsEmpty());
    ASSERT_EQ(after.failed, 0U);
    std::size_t hit = 0;
    for (const std::string& name : after.half_done) {
      hit += half_done.contains(name) ? 0 : 1;
    }
    kills += hit > 0 ? 1 : 0;
    before_binding += after.untouched;
    between_writes += hit;
    after_status += after.succeeded - succeeded;
    half_done = after.half_done;
    succeeded = after.succeeded;
  }
  std::cout << fmt::format(
      "{} kills, {} of them between the first write of a bind and its status; orders they hit: {} "
      "before the binding, {} between binding and status, {} after the status\n",
      rounds,
      kills,
      before_binding,
      between_writes,
      after_status);
  EXPECT_GE(kills, kKills);
  const auto last = yard_->start_binder("last");  // patient, as they are by default
  ASSERT_TRUE(yard_->wait_for_all()) << last->output();
  expect_all_bound(rounds * kOrdersEach);
}

}  // namespace
}  // namespace berth::tests
