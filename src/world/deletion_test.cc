// Grace periods at the end of what numbers can say. A kube-apiserver's sums wrap around there, so
// these are no behaviour cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "api/codec.h"
#include "api/objects/pod.h"
#include "kube/object_key.h"
#include "rt/time.h"
#include "world/store.h"

namespace berth::world {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kGraceMax = 9'223'372'036;
constexpr std::chrono::sys_seconds kNow{std::chrono::sys_days{std::chrono::May / 1 / 2040}};

class GracePeriod : public testing::Test {
 protected:
  void make(std::int64_t grace) {
    const auto made = store_.create(
        {.kind = &api::Pod::kKind,
         .key = key_,
         .body = fmt::format(R"({{"metadata":{{"name":"a"}},"spec":{{"nodeName":"n1",)"
                             R"("terminationGracePeriodSeconds":{}}}}})",
                             grace)});
    ASSERT_TRUE(made.has_value()) << made.error().text();
  }
  api::Pod deleted(std::optional<std::int64_t> grace) {
    EXPECT_TRUE(
        store_.remove({.kind = &api::Pod::kKind, .key = key_, .grace_period_seconds = grace})
            .has_value());
    const auto text =
        store_.get({.kind = &api::Pod::kKind, .key = key_}, store_.resource_version());
    return text ? *api::from_json<api::Pod>(*text) : api::Pod();
  }

  kube::ObjectKey key_{.ns = "default", .name = "a"};
  Store store_{{.clock = [] { return rt::WallTime(kNow); }}};
};

TEST_F(GracePeriod, ThatAPodAsksForEndsSomeDay) {
  make(kForever);
  const api::Pod pod = deleted(std::nullopt);
  EXPECT_EQ(pod.metadata.deletion_grace_period_seconds, kGraceMax);
  EXPECT_EQ(pod.metadata.deletion_timestamp, kNow + std::chrono::seconds(kGraceMax));
}

TEST_F(GracePeriod, ThatADeletionAsksForEndsSomeDay) {
  make(30);
  const api::Pod pod = deleted(kForever);
  EXPECT_EQ(pod.metadata.deletion_grace_period_seconds, kGraceMax);
  EXPECT_EQ(pod.metadata.deletion_timestamp, kNow + std::chrono::seconds(kGraceMax));
}

TEST_F(GracePeriod, ThatEndsSomeDayCanBeMadeShorter) {
  make(kForever);
  deleted(kForever);
  const api::Pod pod = deleted(5);
  EXPECT_EQ(pod.metadata.deletion_grace_period_seconds, 5);
  EXPECT_EQ(pod.metadata.deletion_timestamp, kNow + std::chrono::seconds(5));
}

TEST_F(GracePeriod, ThatIsAsNegativeAsCanBeIsASecond) {
  make(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(deleted(std::nullopt).metadata.deletion_grace_period_seconds, 1);
}

}  // namespace
}  // namespace berth::world
