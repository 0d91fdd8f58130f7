#include "world/direct_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/cancel.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/store.h"

namespace berth::world {
namespace {

using Next = Result<std::optional<kube::WatchEvent>>;

template <typename Value>
rt::Task<void> keep(rt::Task<Value> task, std::optional<Value>* answer) {
  answer->emplace(co_await std::move(task));
}

class DirectClientTest : public ::testing::Test {
 protected:
  template <typename Value>
  Value wait(rt::Task<Value> task) {
    std::optional<Value> answer;
    scope_.spawn("a call", keep(std::move(task), &answer));
    EXPECT_TRUE(simulation_.run_until([&] { return answer.has_value(); }, rt::kNever));
    return *std::move(answer);
  }

  void make(const std::string& name) { EXPECT_TRUE(store_.create(request(name)).has_value()); }
  static kube::CreateRequest request(const std::string& name) {
    return {.kind = &api::ConfigMap::kKind,
            .key = {.ns = "default", .name = ""},
            .body = fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)};
  }
  std::unique_ptr<kube::Watch> watch(const api::Kind& kind) {
    auto started = wait(client_.watch(
        {.of = {.kind = &kind}, .resource_version = std::to_string(store_.resource_version())},
        {}));
    EXPECT_TRUE(started.has_value());
    return *std::move(started);
  }

  rt::Simulation simulation_{1};
  Store store_{{.clock = [this] { return simulation_.wall_now(); }}};
  DirectClient client_{store_, simulation_};
  rt::Scope scope_{simulation_, "test"};
};

TEST_F(DirectClientTest, DoesNothingForACallerThatHasGone) {
  rt::CancelSource cancel;
  cancel.cancel();
  const auto made = wait(client_.create(request("a"), {.token = cancel.token()}));
  EXPECT_EQ(made.error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(store_.resource_version(), 3U);
}

TEST_F(DirectClientTest, DoesNothingAfterTheDeadline) {
  const auto made = wait(client_.create(request("a"), {.deadline = simulation_.now()}));
  EXPECT_EQ(made.error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(store_.resource_version(), 3U);
}

TEST_F(DirectClientTest, CannotKnowTheFuture) {
  EXPECT_EQ(wait(client_.list({.of = {.kind = &api::Pod::kKind}, .resource_version = "99"}, {}))
                .error()
                .code(),
            ErrorCode::kTimeout);
}

TEST_F(DirectClientTest, AWatchFromTheFutureWaitsForIt) {
  auto started =
      wait(client_.watch({.of = {.kind = &api::ConfigMap::kKind},
                          .resource_version = std::to_string(store_.resource_version() + 1)},
                         {}));
  ASSERT_TRUE(started.has_value());
  make("a");
  make("b");
  const Next event = wait((*started)->next({}));
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_NE((*event)->object.bytes.find(R"("name":"b")"), std::string::npos);
}

TEST_F(DirectClientTest, AWatchThatIsReadTooLateIsGone) {
  const auto watch = this->watch(api::ConfigMap::kKind);
  make("a");
  make("b");
  store_.compact(store_.resource_version());
  EXPECT_EQ(wait(watch->next({})).error().code(), ErrorCode::kGone);
}

TEST_F(DirectClientTest, AWatchOfAQuietKindIsToldWhereItIs) {
  const auto watch = this->watch(api::Pod::kKind);
  for (int i = 0; i < 100; ++i) {
    make(fmt::format("a{}", i));
  }
  const Next event = wait(watch->next({}));
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, kube::WatchEventType::kBookmark);
  EXPECT_NE((*event)->object.bytes.find(
                fmt::format(R"("resourceVersion":"{}")", store_.resource_version())),
            std::string::npos);
}

TEST_F(DirectClientTest, AReaderThatWaitsCanBeCancelledOrRunOutOfTime) {
  const auto watch = this->watch(api::Pod::kKind);
  const auto late = wait(watch->next({.deadline = simulation_.now() + std::chrono::seconds(5)}));
  EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);

  rt::CancelSource cancel;
  std::optional<Next> answer;
  scope_.spawn("reader", keep(watch->next({.token = cancel.token()}), &answer));
  simulation_.run_for(std::chrono::seconds(1));
  EXPECT_FALSE(answer.has_value());
  cancel.cancel();
  simulation_.run_for(std::chrono::seconds(1));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->error().code(), ErrorCode::kCancelled);
}

TEST_F(DirectClientTest, AReaderMayBeGivenUpWhileItWaits) {
  const auto watch = this->watch(api::ConfigMap::kKind);
  std::optional<Next> answer;
  {
    rt::Scope scope(simulation_, "given up");
    scope.spawn("reader", keep(watch->next({}), &answer));
    simulation_.run_for(std::chrono::seconds(1));
  }
  make("a");
  const Next event = wait(watch->next({}));
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, kube::WatchEventType::kAdded);
  EXPECT_FALSE(answer.has_value());
}

}  // namespace
}  // namespace berth::world
