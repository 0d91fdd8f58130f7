#include "binder/outcome.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "api/objects/bind_request.h"

namespace berth::binder {
namespace {

using std::chrono::seconds;

api::BindRequest order_with(std::optional<std::int32_t> limit, std::int32_t attempts) {
  api::BindRequest order;
  order.metadata.uid = "u";
  order.metadata.resource_version = "7";
  order.spec.selected_node = "n1";
  order.spec.backoff_limit = limit;
  order.status.failed_attempts = attempts;
  return order;
}

const std::string kGuard = R"({"metadata":{"uid":"u","resourceVersion":"7"},)";

TEST(Outcome, SuccessIsOnePhase) {
  const api::BindRequest order = order_with({}, 0);
  EXPECT_EQ(status_patch(order, bound(order, "n1")), kGuard + R"("status":{"phase":"Succeeded"}})");
}

TEST(Outcome, SuccessTakesBackAnEarlierReason) {
  api::BindRequest order = order_with(3, 1);
  order.status.reason = "too slow";
  EXPECT_EQ(status_patch(order, bound(order, "n1")),
            kGuard + R"("status":{"phase":"Succeeded","reason":null}})");
}

TEST(Outcome, APodThatIsBoundElsewhereIsSuccessThatSaysWhere) {
  const api::BindRequest order = order_with({}, 0);
  EXPECT_EQ(
      status_patch(order, bound(order, "n2")),
      kGuard +
          R"("status":{"phase":"Succeeded","reason":"pod is bound to node n2, not by this request to n1"}})");
}

TEST(Outcome, FailuresAreCountedOnlyWhereTheOrderAllowsMore) {
  const Outcome failure{.reason = R"(say "why")"};
  EXPECT_EQ(status_patch(order_with({}, 0), failure),
            kGuard + R"("status":{"phase":"Failed","reason":"say \"why\""}})");
  EXPECT_EQ(status_patch(order_with(3, 1), failure),
            kGuard + R"("status":{"phase":"Failed","reason":"say \"why\"","failedAttempts":2}})");
  EXPECT_EQ(status_patch(order_with(3, 3), failure),
            kGuard + R"("status":{"phase":"Failed","reason":"say \"why\""}})");
}

TEST(Outcome, EachRetryWaitsTwiceAsLong) {
  EXPECT_EQ(delay_after_failure(order_with({}, 0)), std::nullopt);
  EXPECT_EQ(delay_after_failure(order_with(1, 0)), std::nullopt);
  EXPECT_EQ(delay_after_failure(order_with(2, 0)), seconds(1));
  EXPECT_EQ(delay_after_failure(order_with(9, 1)), seconds(2));
  EXPECT_EQ(delay_after_failure(order_with(9, 5)), seconds(32));
  EXPECT_EQ(delay_after_failure(order_with(1000, 998)), seconds(4096));
  EXPECT_EQ(delay_after_failure(order_with(3, -5)), seconds(1));
}

}  // namespace
}  // namespace berth::binder
