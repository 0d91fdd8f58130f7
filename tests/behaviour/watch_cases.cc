// What a watch shows, and where it can go on from.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

using Type = kube::WatchEventType;

const api::Kind& kConfigMap = api::ConfigMap::kKind;
const api::Kind& kPod = api::Pod::kKind;

class Watch : public Behaviour {
 protected:
  std::unique_ptr<kube::Watch> started(const kube::WatchRequest& request) {
    auto watch = this->watch(request);
    EXPECT_TRUE(watch.has_value()) << watch.error().text();
    return watch ? *std::move(watch) : nullptr;
  }
  // Reads initial events up to the bookmark that ends them; gives that one's resourceVersion.
  std::string skip_initial_events(kube::Watch& watch) {
    while (true) {
      const auto event = next_or_bookmark(watch);
      EXPECT_TRUE(event.has_value()) << event.error().text();
      if (!event || event->type == Type::kBookmark) {
        return event ? version(event->object) : "";
      }
    }
  }
};

TEST_F(Watch, ShowsAnObjectFromItsCreationToItsDeletion) {
  const auto watch = watch_from_now(kConfigMap);
  const Object made = this->made(kConfigMap, config_map("a"));
  const Object changed = merged(kConfigMap, "a", R"({"data":{"a":"2"}})");
  ASSERT_TRUE(remove(kConfigMap, "a").has_value());
  EXPECT_EQ(expect_event(*watch, Type::kAdded, "a"), made);
  EXPECT_EQ(expect_event(*watch, Type::kModified, "a"), changed);
  const Object last = expect_event(*watch, Type::kDeleted, "a");
  EXPECT_EQ(text(last, "data.a"), "2");
  EXPECT_NE(version(last), version(changed));
}

TEST_F(Watch, ShowsChangesInTheOrderTheyHappened) {
  const auto watch = watch_from_now(kConfigMap);
  made(kConfigMap, config_map("b"));
  made(kConfigMap, config_map("a"));
  merged(kConfigMap, "b", R"({"data":{"a":"2"}})");
  expect_event(*watch, Type::kAdded, "b");
  expect_event(*watch, Type::kAdded, "a");
  expect_event(*watch, Type::kModified, "b");
}

TEST_F(Watch, WaitsForWhatIsStillToCome) {
  const auto watch = watch_from_now(kConfigMap);
  made(kConfigMap, config_map("a"));
  expect_event(*watch, Type::kAdded, "a");
  made(kConfigMap, config_map("b"));
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, GoesOnBehindTheVersionItIsGiven) {
  const Object first = made(kConfigMap, config_map("a"));
  made(kConfigMap, config_map("b"));
  const auto watch = started({.of = all(kConfigMap), .resource_version = version(first)});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, CanBeResumedFromTheLastEvent) {
  auto watch = watch_from_now(kConfigMap);
  made(kConfigMap, config_map("a"));
  const Object seen = expect_event(*watch, Type::kAdded, "a");
  watch = nullptr;
  merged(kConfigMap, "a", R"({"data":{"a":"2"}})");
  made(kConfigMap, config_map("b"));
  watch = started({.of = all(kConfigMap), .resource_version = version(seen)});
  expect_event(*watch, Type::kModified, "a");
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, CanBeResumedFromADeletion) {
  auto watch = watch_from_now(kConfigMap);
  made(kConfigMap, config_map("a"));
  ASSERT_TRUE(remove(kConfigMap, "a").has_value());
  expect_event(*watch, Type::kAdded, "a");
  const Object last = expect_event(*watch, Type::kDeleted, "a");
  made(kConfigMap, config_map("b"));
  watch = started({.of = all(kConfigMap), .resource_version = version(last)});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, LeavesNoGapBehindAList) {
  made(kConfigMap, config_map("a"));
  const auto page = list({.of = all(kConfigMap)});
  ASSERT_TRUE(page.has_value());
  made(kConfigMap, config_map("b"));
  const auto watch = started({.of = all(kConfigMap), .resource_version = page->resource_version});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, ShowsNothingOfOtherKinds) {
  const auto watch = watch_from_now(kConfigMap);
  made(kPod, pod("p"));
  made(kConfigMap, config_map("a"));
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, ShowsNothingOfOtherNamespaces) {
  const auto watch = watch_from_now(kConfigMap);
  const std::string other = unique("elsewhere");
  ASSERT_TRUE(wait(server().client().create({.kind = &kConfigMap,
                                             .key = {.ns = "default", .name = ""},
                                             .body = json::serialize(config_map(other))},
                                            {}))
                  .has_value());
  made(kConfigMap, config_map("a"));
  expect_event(*watch, Type::kAdded, "a");
  EXPECT_TRUE(wait(server().client().remove(
                       {.kind = &kConfigMap, .key = {.ns = "default", .name = other}}, {}))
                  .has_value());
}

TEST_F(Watch, OfAllNamespacesShowsEach) {
  const auto page = list({.of = all(kConfigMap)});
  ASSERT_TRUE(page.has_value());
  const auto watch = started({.of = {.kind = &kConfigMap, .label_selector = "of=" + ns()},
                              .resource_version = page->resource_version});
  made(kConfigMap, config_map("a", "of", ns()));
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, ShowsNothingWhereNothingChanged) {
  made(kConfigMap, config_map("a"));
  const auto watch = watch_from_now(kConfigMap);
  merged(kConfigMap, "a", R"({"data":{"a":"1"}})");
  merged(kConfigMap, "a", R"({"data":{"a":"2"}})");
  EXPECT_EQ(text(expect_event(*watch, Type::kModified, "a"), "data.a"), "2");
}

TEST_F(Watch, OfLabelsShowsAnObjectThatBeginsToMatchAsAdded) {
  made(kConfigMap, config_map("a"));
  const auto watch = watch_from_now(kConfigMap, "app=web");
  merged(kConfigMap, "a", R"({"metadata":{"labels":{"app":"web"}}})");
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, OfLabelsShowsAnObjectThatStopsToMatchAsDeleted) {
  made(kConfigMap, config_map("a", "app", "web"));
  const auto watch = watch_from_now(kConfigMap, "app=web");
  const Object changed = merged(kConfigMap, "a", R"({"metadata":{"labels":{"app":"db"}}})");
  const Object last = expect_event(*watch, Type::kDeleted, "a");
  EXPECT_EQ(version(last), version(changed));
  EXPECT_EQ(text(last, "metadata.labels.app"), "web");
}

TEST_F(Watch, OfLabelsShowsNothingOfWhatNeverMatched) {
  made(kConfigMap, config_map("other", "app", "db"));
  const auto watch = watch_from_now(kConfigMap, "app=web");
  merged(kConfigMap, "other", R"({"data":{"a":"2"}})");
  ASSERT_TRUE(remove(kConfigMap, "other").has_value());
  made(kConfigMap, config_map("a", "app", "web"));
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, OfFieldsLetsAPodGoWhenItIsBound) {
  const auto watch = watch_from_now(kPod, "", "spec.nodeName=");
  made(kPod, pod("a"));
  expect_event(*watch, Type::kAdded, "a");
  ASSERT_TRUE(post("a", "binding", binding("a", "node-1")).has_value());
  expect_event(*watch, Type::kDeleted, "a");
}

TEST_F(Watch, RefusesASelectorItDoesNotUnderstand) {
  kube::Selection selection = all(kConfigMap);
  selection.field_selector = "data.a=1";
  const auto page = list({.of = all(kConfigMap)});
  ASSERT_TRUE(page.has_value());
  const auto watch = this->watch({.of = selection, .resource_version = page->resource_version});
  EXPECT_CODE(watch, ErrorCode::kInvalid);
}

TEST_F(Watch, ShowsTheDeletionAFinalizerDelays) {
  made(kConfigMap, with_finalizer(config_map("a"), "example.com/guard"));
  const auto watch = watch_from_now(kConfigMap);
  ASSERT_TRUE(remove(kConfigMap, "a").has_value());
  const Object waiting = expect_event(*watch, Type::kModified, "a");
  EXPECT_FALSE(text(waiting, "metadata.deletionTimestamp").empty());
  merged(kConfigMap, "a", R"({"metadata":{"finalizers":null}})");
  expect_event(*watch, Type::kDeleted, "a");
}

TEST_F(Watch, WithoutVersionBeginsWithWhatThereIs) {
  made(kConfigMap, config_map("a"));
  made(kConfigMap, config_map("b"));
  const auto watch = started({.of = all(kConfigMap)});
  const auto first = next(*watch);
  const auto second = next(*watch);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->type, Type::kAdded);
  EXPECT_EQ(second->type, Type::kAdded);
  EXPECT_NE(name(first->object), name(second->object));
  made(kConfigMap, config_map("c"));
  expect_event(*watch, Type::kAdded, "c");
}

TEST_F(Watch, InitialEventsAreWhatThereIsAndThenABookmark) {
  made(kConfigMap, config_map("a"));
  const auto watch = started({.of = all(kConfigMap), .send_initial_events = true});
  const auto first = next_or_bookmark(*watch);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->type, Type::kAdded);
  EXPECT_EQ(name(first->object), "a");
  const auto end = next_or_bookmark(*watch);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->type, Type::kBookmark);
  EXPECT_EQ(value(end->object, "/metadata/annotations"),
            json::value({{"k8s.io/initial-events-end", "true"}}));
  EXPECT_FALSE(version(end->object).empty());
}

TEST_F(Watch, InitialEventsOfNothingAreABookmark) {
  const auto watch = started({.of = all(kPod), .send_initial_events = true});
  const auto end = next_or_bookmark(*watch);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->type, Type::kBookmark);
}

TEST_F(Watch, InitialEventsAreAsNewAsIsAskedFor) {
  const Object made = this->made(kConfigMap, config_map("a"));
  const auto watch = started(
      {.of = all(kConfigMap), .resource_version = version(made), .send_initial_events = true});
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, InitialEventsKeepToTheSelection) {
  made(kConfigMap, config_map("a", "app", "db"));
  made(kConfigMap, config_map("b", "app", "web"));
  kube::Selection selection = all(kConfigMap);
  selection.label_selector = "app=web";
  const auto watch = started({.of = selection, .send_initial_events = true});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, GoesOnAfterInitialEvents) {
  made(kConfigMap, config_map("a"));
  const auto watch = started({.of = all(kConfigMap), .send_initial_events = true});
  skip_initial_events(*watch);
  merged(kConfigMap, "a", R"({"data":{"a":"2"}})");
  expect_event(*watch, Type::kModified, "a");
}

TEST_F(Watch, CanBeResumedFromABookmark) {
  made(kConfigMap, config_map("a"));
  auto watch = started({.of = all(kConfigMap), .send_initial_events = true});
  const std::string bookmark = skip_initial_events(*watch);
  made(kConfigMap, config_map("b"));
  watch = started({.of = all(kConfigMap), .resource_version = bookmark});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, DoesNotDisturbAnother) {
  const auto one = watch_from_now(kConfigMap);
  auto two = watch_from_now(kConfigMap);
  made(kConfigMap, config_map("a"));
  expect_event(*two, Type::kAdded, "a");
  two = nullptr;
  made(kConfigMap, config_map("b"));
  expect_event(*one, Type::kAdded, "a");
  expect_event(*one, Type::kAdded, "b");
}

TEST_F(Watch, FromAForgottenVersionIsGone) {
  const Object first = made(kConfigMap, config_map("a"));
  made(kConfigMap, config_map("b"));
  if (!server().forget_history()) {
    GTEST_SKIP() << "this server cannot be made to forget";
  }
  auto watch = this->watch({.of = all(kConfigMap), .resource_version = version(first)});
  if (!watch) {
    EXPECT_CODE(watch, ErrorCode::kGone);
    return;
  }
  EXPECT_CODE(next(**watch), ErrorCode::kGone);
}

TEST_F(Watch, FromTheNewestVersionGoesOnWhenHistoryIsForgotten) {
  made(kConfigMap, config_map("a"));
  if (!server().forget_history()) {
    GTEST_SKIP() << "this server cannot be made to forget";
  }
  const auto watch = watch_from_now(kConfigMap);
  made(kConfigMap, config_map("b"));
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, EndsInTimeWhenNothingHappens) {
  const auto watch = watch_from_now(kConfigMap);
  EXPECT_FALSE(next(*watch).has_value());
}

}  // namespace
}  // namespace berth::tests
