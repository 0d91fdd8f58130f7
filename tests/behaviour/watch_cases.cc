// What a watch shows, and where it can go on from.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <utility>

#include "api/kind.h"
#include "api/objects/lease.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

using Type = kube::WatchEventType;

constexpr const api::Kind& kLease = api::Lease::kKind;
constexpr const api::Kind& kPod = api::Pod::kKind;

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
  const auto watch = watch_from_now(kLease);
  const Object made = this->made(kLease, lease("a"));
  const Object changed = merged(kLease, "a", R"({"spec":{"holderIdentity":"2"}})");
  ASSERT_TRUE(remove(kLease, "a").has_value());
  EXPECT_EQ(expect_event(*watch, Type::kAdded, "a"), made);
  EXPECT_EQ(expect_event(*watch, Type::kModified, "a"), changed);
  const Object last = expect_event(*watch, Type::kDeleted, "a");
  EXPECT_EQ(text(last, "spec.holderIdentity"), "2");
  EXPECT_NE(version(last), version(changed));
}

TEST_F(Watch, ShowsChangesInTheOrderTheyHappened) {
  const auto watch = watch_from_now(kLease);
  made(kLease, lease("b"));
  made(kLease, lease("a"));
  merged(kLease, "b", R"({"spec":{"holderIdentity":"2"}})");
  expect_event(*watch, Type::kAdded, "b");
  expect_event(*watch, Type::kAdded, "a");
  expect_event(*watch, Type::kModified, "b");
}

TEST_F(Watch, WaitsForWhatIsStillToCome) {
  const auto watch = watch_from_now(kLease);
  made(kLease, lease("a"));
  expect_event(*watch, Type::kAdded, "a");
  made(kLease, lease("b"));
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, GoesOnBehindTheVersionItIsGiven) {
  const Object first = made(kLease, lease("a"));
  made(kLease, lease("b"));
  const auto watch = started({.of = all(kLease), .resource_version = version(first)});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, CanBeResumedFromTheLastEvent) {
  auto watch = watch_from_now(kLease);
  made(kLease, lease("a"));
  const Object seen = expect_event(*watch, Type::kAdded, "a");
  watch = nullptr;
  merged(kLease, "a", R"({"spec":{"holderIdentity":"2"}})");
  made(kLease, lease("b"));
  watch = started({.of = all(kLease), .resource_version = version(seen)});
  expect_event(*watch, Type::kModified, "a");
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, CanBeResumedFromADeletion) {
  auto watch = watch_from_now(kLease);
  made(kLease, lease("a"));
  ASSERT_TRUE(remove(kLease, "a").has_value());
  expect_event(*watch, Type::kAdded, "a");
  const Object last = expect_event(*watch, Type::kDeleted, "a");
  made(kLease, lease("b"));
  watch = started({.of = all(kLease), .resource_version = version(last)});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, LeavesNoGapBehindAList) {
  made(kLease, lease("a"));
  const auto page = list({.of = all(kLease)});
  ASSERT_TRUE(page.has_value());
  made(kLease, lease("b"));
  const auto watch = started({.of = all(kLease), .resource_version = page->resource_version});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, ShowsNothingOfOtherKinds) {
  const auto watch = watch_from_now(kLease);
  made(kPod, pod("p"));
  made(kLease, lease("a"));
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, ShowsNothingOfOtherNamespaces) {
  const auto watch = watch_from_now(kLease);
  const std::string other = unique("elsewhere");
  ASSERT_TRUE(wait(server().client().create({.kind = &kLease,
                                             .key = {.ns = "default", .name = ""},
                                             .body = json::serialize(lease(other))},
                                            {}))
                  .has_value());
  made(kLease, lease("a"));
  expect_event(*watch, Type::kAdded, "a");
  EXPECT_TRUE(
      wait(server().client().remove({.kind = &kLease, .key = {.ns = "default", .name = other}}, {}))
          .has_value());
}

TEST_F(Watch, OfAllNamespacesShowsEach) {
  const auto page = list({.of = all(kLease)});
  ASSERT_TRUE(page.has_value());
  const auto watch = started({.of = {.kind = &kLease, .label_selector = "of=" + ns()},
                              .resource_version = page->resource_version});
  made(kLease, lease("a", "of", ns()));
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, ShowsNothingWhereNothingChanged) {
  made(kLease, lease("a"));
  const auto watch = watch_from_now(kLease);
  merged(kLease, "a", R"({"spec":{"holderIdentity":"1"}})");
  merged(kLease, "a", R"({"spec":{"holderIdentity":"2"}})");
  EXPECT_EQ(text(expect_event(*watch, Type::kModified, "a"), "spec.holderIdentity"), "2");
}

TEST_F(Watch, OfLabelsShowsAnObjectThatBeginsToMatchAsAdded) {
  made(kLease, lease("a"));
  const auto watch = watch_from_now(kLease, "app=web");
  merged(kLease, "a", R"({"metadata":{"labels":{"app":"web"}}})");
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, OfLabelsShowsAnObjectThatStopsToMatchAsDeleted) {
  made(kLease, lease("a", "app", "web"));
  const auto watch = watch_from_now(kLease, "app=web");
  const Object changed = merged(kLease, "a", R"({"metadata":{"labels":{"app":"db"}}})");
  const Object last = expect_event(*watch, Type::kDeleted, "a");
  EXPECT_EQ(version(last), version(changed));
  EXPECT_EQ(text(last, "metadata.labels.app"), "web");
}

TEST_F(Watch, OfLabelsShowsNothingOfWhatNeverMatched) {
  made(kLease, lease("other", "app", "db"));
  const auto watch = watch_from_now(kLease, "app=web");
  merged(kLease, "other", R"({"spec":{"holderIdentity":"2"}})");
  ASSERT_TRUE(remove(kLease, "other").has_value());
  made(kLease, lease("a", "app", "web"));
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
  kube::Selection selection = all(kLease);
  selection.field_selector = "spec.holderIdentity=1";
  const auto page = list({.of = all(kLease)});
  ASSERT_TRUE(page.has_value());
  const auto watch = this->watch({.of = selection, .resource_version = page->resource_version});
  EXPECT_CODE(watch, ErrorCode::kInvalid);
}

TEST_F(Watch, ShowsTheDeletionAFinalizerDelays) {
  made(kLease, with_finalizer(lease("a"), "example.com/guard"));
  const auto watch = watch_from_now(kLease);
  ASSERT_TRUE(remove(kLease, "a").has_value());
  const Object waiting = expect_event(*watch, Type::kModified, "a");
  EXPECT_FALSE(text(waiting, "metadata.deletionTimestamp").empty());
  merged(kLease, "a", R"({"metadata":{"finalizers":null}})");
  expect_event(*watch, Type::kDeleted, "a");
}

TEST_F(Watch, WithoutVersionBeginsWithWhatThereIs) {
  made(kLease, lease("a"));
  made(kLease, lease("b"));
  const auto watch = started({.of = all(kLease)});
  const auto first = next(*watch);
  const auto second = next(*watch);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->type, Type::kAdded);
  EXPECT_EQ(second->type, Type::kAdded);
  EXPECT_NE(name(first->object), name(second->object));
  made(kLease, lease("c"));
  expect_event(*watch, Type::kAdded, "c");
}

TEST_F(Watch, InitialEventsAreWhatThereIsAndThenABookmark) {
  made(kLease, lease("a"));
  const auto watch = started({.of = all(kLease), .send_initial_events = true});
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
  const Object made = this->made(kLease, lease("a"));
  const auto watch =
      started({.of = all(kLease), .resource_version = version(made), .send_initial_events = true});
  expect_event(*watch, Type::kAdded, "a");
}

TEST_F(Watch, InitialEventsKeepToTheSelection) {
  made(kLease, lease("a", "app", "db"));
  made(kLease, lease("b", "app", "web"));
  kube::Selection selection = all(kLease);
  selection.label_selector = "app=web";
  const auto watch = started({.of = selection, .send_initial_events = true});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, GoesOnAfterInitialEvents) {
  made(kLease, lease("a"));
  const auto watch = started({.of = all(kLease), .send_initial_events = true});
  skip_initial_events(*watch);
  merged(kLease, "a", R"({"spec":{"holderIdentity":"2"}})");
  expect_event(*watch, Type::kModified, "a");
}

TEST_F(Watch, CanBeResumedFromABookmark) {
  made(kLease, lease("a"));
  auto watch = started({.of = all(kLease), .send_initial_events = true});
  const std::string bookmark = skip_initial_events(*watch);
  made(kLease, lease("b"));
  watch = started({.of = all(kLease), .resource_version = bookmark});
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, DoesNotDisturbAnother) {
  const auto one = watch_from_now(kLease);
  auto two = watch_from_now(kLease);
  made(kLease, lease("a"));
  expect_event(*two, Type::kAdded, "a");
  two = nullptr;
  made(kLease, lease("b"));
  expect_event(*one, Type::kAdded, "a");
  expect_event(*one, Type::kAdded, "b");
}

TEST_F(Watch, FromAForgottenVersionIsGone) {
  const Object first = made(kLease, lease("a"));
  made(kLease, lease("b"));
  if (!server().forget_history()) {
    GTEST_SKIP() << "this server cannot be made to forget";
  }
  auto watch = this->watch({.of = all(kLease), .resource_version = version(first)});
  if (!watch) {
    EXPECT_CODE(watch, ErrorCode::kGone);
    return;
  }
  EXPECT_CODE(next(**watch), ErrorCode::kGone);
}

TEST_F(Watch, FromTheNewestVersionGoesOnWhenHistoryIsForgotten) {
  made(kLease, lease("a"));
  if (!server().forget_history()) {
    GTEST_SKIP() << "this server cannot be made to forget";
  }
  const auto watch = watch_from_now(kLease);
  made(kLease, lease("b"));
  expect_event(*watch, Type::kAdded, "b");
}

TEST_F(Watch, EndsInTimeWhenNothingHappens) {
  const auto watch = watch_from_now(kLease);
  EXPECT_CODE(next(*watch), ErrorCode::kTimeout);
}

}  // namespace
}  // namespace berth::tests
