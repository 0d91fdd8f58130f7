// What a client does not see of a store: its log, its history, and what is not a kube-apiserver's.
#include "world/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "base/error.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "rt/time.h"

namespace berth::world {
namespace {

constexpr rt::WallTime kNow{std::chrono::sys_days{std::chrono::May / 1 / 2040}};

Store::Options options(std::size_t history_max = 10'000) {
  return {.clock = [] { return kNow; }, .history_max = history_max};
}

std::string created(Store& store, std::string_view name, std::string_view rest = "") {
  const auto made =
      store.create({.kind = &api::ConfigMap::kKind,
                    .key = {.ns = "default", .name = ""},
                    .body = fmt::format(R"({{"metadata":{{"name":"{}"}}{}}})", name, rest)});
  EXPECT_TRUE(made.has_value()) << made.error().text();
  return made ? *made : "";
}

void set_data(Store& store, std::string_view name, int value) {
  const auto changed = store.patch({.kind = &api::ConfigMap::kKind,
                                    .key = {.ns = "default", .name = std::string(name)},
                                    .body = fmt::format(R"({{"data":{{"a":"{}"}}}})", value)});
  EXPECT_TRUE(changed.has_value());
}

kube::GetRequest config_map(std::string_view name) {
  return {.kind = &api::ConfigMap::kKind, .key = {.ns = "default", .name = std::string(name)}};
}

TEST(Store, BeginsWithTheNamespacesEveryClusterHas) {
  const Store store(options());
  for (const char* name : {"default", "kube-system"}) {
    EXPECT_TRUE(store
                    .get({.kind = &api::Namespace::kKind, .key = {.ns = "", .name = name}},
                         store.resource_version())
                    .has_value());
  }
  EXPECT_EQ(store.resource_version(), 3U);
  EXPECT_EQ(store.compacted(), 1U);
}

TEST(Store, KeepsWhatNoTableKnows) {
  Store store(options());
  const std::string made = created(store, "a", R"(,"future":{"deep":[1,{"x":null}]})");
  EXPECT_NE(made.find(R"("future":{"deep":[1,{"x":null}]})"), std::string::npos) << made;
}

TEST(Store, LogsEveryChangeWithBothStates) {
  Store store(options());
  const std::uint64_t start = store.resource_version();
  created(store, "a");
  set_data(store, "a", 1);
  ASSERT_TRUE(
      store.remove({.kind = &api::ConfigMap::kKind, .key = config_map("a").key}).has_value());
  const Change* added = store.change_after(start);
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(added->type, ChangeType::kAdded);
  EXPECT_EQ(added->before, nullptr);
  const Change* modified = store.change_after(start + 1);
  EXPECT_EQ(modified->type, ChangeType::kModified);
  EXPECT_EQ(modified->before, added->after);
  const Change* deleted = store.change_after(start + 2);
  EXPECT_EQ(deleted->type, ChangeType::kDeleted);
  EXPECT_EQ(deleted->before, modified->after);
  EXPECT_NE(text_of(*deleted->after)
                .find(fmt::format(R"("resourceVersion":"{}")", store.resource_version())),
            std::string::npos);
  EXPECT_EQ(store.change_after(start + 3), nullptr);
}

TEST(Store, ReadsTheStateAtAnEarlierResourceVersion) {
  Store store(options());
  created(store, "a");
  const std::uint64_t first = store.resource_version();
  set_data(store, "a", 1);
  ASSERT_TRUE(
      store.remove({.kind = &api::ConfigMap::kKind, .key = config_map("a").key}).has_value());
  EXPECT_EQ(store.get(config_map("a"), store.resource_version()).error().code(),
            ErrorCode::kNotFound);
  EXPECT_NE(store.get(config_map("a"), first + 1)->find(R"("a":"1")"), std::string::npos);
  EXPECT_EQ(store.get(config_map("a"), first)->find(R"("a":"1")"), std::string::npos);
  EXPECT_EQ(store.get(config_map("a"), first - 1).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store.list({.of = {.kind = &api::ConfigMap::kKind}}, first)->items.size(), 1U);
}

TEST(Store, ForgetsWhatItsHistoryHasNoRoomFor) {
  Store store(options(5));
  created(store, "a");
  created(store, "gone");
  ASSERT_TRUE(
      store.remove({.kind = &api::ConfigMap::kKind, .key = config_map("gone").key}).has_value());
  for (int i = 0; i < 100; ++i) {
    set_data(store, "a", i);
    ASSERT_EQ(store.resource_version() - store.compacted(), 5U);
  }
  const std::uint64_t now = store.resource_version();
  EXPECT_EQ(store.get(config_map("a"), now - 6).error().code(), ErrorCode::kGone);
  for (std::uint64_t back = 0; back <= 5; ++back) {
    EXPECT_NE(store.get(config_map("a"), now - back)->find(fmt::format(R"("a":"{}")", 99 - back)),
              std::string::npos);
  }
}

TEST(Store, CompactsWhenToldTo) {
  Store store(options());
  created(store, "a");
  store.compact(store.resource_version() + 100);
  EXPECT_EQ(store.compacted(), store.resource_version());
  EXPECT_TRUE(store.get(config_map("a"), store.resource_version()).has_value());
  EXPECT_EQ(store.change_after(store.resource_version()), nullptr);
}

TEST(Store, TellsObserversOfEveryChangeUntilTheyAreForgotten) {
  Store store(options());
  int told = 0;
  const std::uint64_t observer = store.on_change([&] { ++told; });
  created(store, "a");
  set_data(store, "a", 1);
  set_data(store, "a", 1);  // changes nothing
  EXPECT_EQ(told, 2);
  store.forget_observer(observer);
  set_data(store, "a", 2);
  EXPECT_EQ(told, 2);
}

TEST(Store, MakesUidsOfVersionFour) {
  Store store(options());
  for (int i = 0; i < 20; ++i) {
    const std::string made = created(store, fmt::format("a{}", i));
    const std::size_t at = made.find(R"("uid":")") + 7;
    const std::string uid = made.substr(at, 36);
    EXPECT_EQ(uid[14], '4') << uid;
    EXPECT_NE(std::string_view("89ab").find(uid[19]), std::string_view::npos) << uid;
  }
}

TEST(Store, IsAFunctionOfItsSeed) {
  Store one(options());
  Store two(options());
  EXPECT_EQ(created(one, "a"), created(two, "a"));
}

TEST(Store, WritesTheTimeOfItsClock) {
  Store store(options());
  EXPECT_NE(created(store, "a").find(R"("creationTimestamp":"2040-05-01T00:00:00Z")"),
            std::string::npos);
}

TEST(Store, DoesNotKeepWhatOnlyTravels) {
  Store store(options());
  EXPECT_EQ(store
                .create({.kind = &api::Eviction::kKind,
                         .key = {.ns = "default", .name = ""},
                         .body = R"({"metadata":{"name":"a"}})"})
                .error()
                .code(),
            ErrorCode::kNotFound);
}

TEST(Store, FinishesTheDeletionOfAPod) {
  Store store(options());
  const kube::ObjectKey key{.ns = "default", .name = "a"};
  EXPECT_EQ(store.finish_deletion(api::Pod::kKind, key).error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(store
                  .create({.kind = &api::Pod::kKind,
                           .key = {.ns = "default", .name = ""},
                           .body = R"({"metadata":{"name":"a"},"spec":{"nodeName":"n"}})"})
                  .has_value());
  EXPECT_EQ(store.finish_deletion(api::Pod::kKind, key).error().code(), ErrorCode::kConflict);
  ASSERT_TRUE(store.remove({.kind = &api::Pod::kKind, .key = key}).has_value());
  ASSERT_TRUE(store.finish_deletion(api::Pod::kKind, key).has_value());
  EXPECT_EQ(
      store.get({.kind = &api::Pod::kKind, .key = key}, store.resource_version()).error().code(),
      ErrorCode::kNotFound);
}

TEST(Store, FinishesTheDeletionOfANamespaceOnceItIsEmpty) {
  Store store(options());
  const kube::ObjectKey key{.ns = "", .name = "default"};
  created(store, "a");
  ASSERT_TRUE(store.remove({.kind = &api::Namespace::kKind, .key = key}).has_value());
  EXPECT_EQ(store.finish_deletion(api::Namespace::kKind, key).error().code(), ErrorCode::kConflict);
  ASSERT_TRUE(
      store.remove({.kind = &api::ConfigMap::kKind, .key = config_map("a").key}).has_value());
  ASSERT_TRUE(store.finish_deletion(api::Namespace::kKind, key).has_value());
  EXPECT_EQ(store.get({.kind = &api::Namespace::kKind, .key = key}, store.resource_version())
                .error()
                .code(),
            ErrorCode::kNotFound);
}

TEST(Store, RefusesANegativeLimit) {
  const Store store(options());
  EXPECT_EQ(
      store.list({.of = {.kind = &api::ConfigMap::kKind}, .limit = -1}, store.resource_version())
          .error()
          .code(),
      ErrorCode::kInvalid);
}

TEST(Store, RefusesContinueTokensOfOthers) {
  const Store store(options());
  // Not base64; no slash; not a number; from the future.
  for (const char* token : {"%", "MyBkZWZhdWx0", "eCAvYQ==", "OTk5OTk5IC9h"}) {
    EXPECT_EQ(store
                  .list({.of = {.kind = &api::ConfigMap::kKind}, .continue_token = token},
                        store.resource_version())
                  .error()
                  .code(),
              ErrorCode::kInvalid)
        << token;
  }
}

TEST(Store, ANegativeGracePeriodIsASecondAlsoWhenAPodIsDeletedAgain) {
  Store store(options());
  const kube::ObjectKey key{.ns = "default", .name = "a"};
  ASSERT_TRUE(store.create({.kind = &api::Pod::kKind,
                            .key = key,
                            .body = R"({"metadata":{"name":"a"},"spec":{"nodeName":"n1"}})"}));
  for (const std::int64_t grace : {30, -5}) {
    ASSERT_TRUE(
        store.remove({.kind = &api::Pod::kKind, .key = key, .grace_period_seconds = grace}));
  }
  const auto pod = store.get({.kind = &api::Pod::kKind, .key = key}, store.resource_version());
  ASSERT_TRUE(pod.has_value());
  EXPECT_NE(pod->find(R"("deletionGracePeriodSeconds":1})"), std::string::npos) << *pod;
}

TEST(Store, RefusesAPatchThatMakesAnObjectTooLarge) {
  Store store(options());
  created(store, "a");
  const auto add = [&](std::string_view member) {
    return store.patch(
        {.kind = &api::ConfigMap::kKind,
         .key = config_map("a").key,
         .body = fmt::format(
             R"({{"data":{{"{}":"{}"}}}})", member, std::string(std::size_t{2} << 20, 'x'))});
  };
  EXPECT_TRUE(add("a").has_value());
  const std::uint64_t version = store.resource_version();
  const auto refused = add("b");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(name_of(refused.error().code()), name_of(ErrorCode::kLimit));
  EXPECT_EQ(store.resource_version(), version);
  EXPECT_TRUE(add("a").has_value()) << "what replaces is no larger";
}

}  // namespace
}  // namespace berth::world
