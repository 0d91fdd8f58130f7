#include "kube/watcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

#include "base/error.h"
#include "kube/client.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class WatcherTest : public ::testing::Test {
 public:
  template <typename Action>
  Action expect(const Watcher::Input& input) {
    const auto action = watcher.step(input, now, random);
    const auto* wanted = std::get_if<Action>(&action);
    EXPECT_NE(wanted, nullptr) << "action " << action.index();
    return wanted != nullptr ? *wanted : Action{};
  }
  // Lists at `version` and opens the watch.
  void sync(const std::string& version) {
    expect<Watcher::FetchPage>(Watcher::Tick{});
    expect<Watcher::Swap>(Watcher::PageArrived{version, ""});
    expect<Watcher::OpenWatch>(Watcher::Tick{});
    expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  }
  void apply(const std::string& version) {
    expect<Watcher::Apply>(Watcher::EventArrived{WatchEventType::kModified, version});
    expect<Watcher::AwaitEvent>(Watcher::Tick{});
  }
  rt::Duration slept(const Watcher::Sleep& sleep) {
    const rt::Duration duration = sleep.until - now;
    now = sleep.until;
    return duration;
  }

  Watcher watcher{{}};
  rt::Time now{seconds(1000)};
  rt::Random random{1};
};

TEST_F(WatcherTest, ListsAllPagesThenSwapsOnceThenWatchesFromThere) {
  const auto first = expect<Watcher::FetchPage>(Watcher::Tick{});
  EXPECT_EQ(first.resource_version, "");
  EXPECT_EQ(first.limit, 500);
  const auto second = expect<Watcher::FetchPage>(Watcher::PageArrived{"20", "more"});
  EXPECT_EQ(second.continue_token, "more");
  EXPECT_EQ(watcher.resource_version(), "");
  expect<Watcher::Swap>(Watcher::PageArrived{"20", ""});
  const auto open = expect<Watcher::OpenWatch>(Watcher::Tick{});
  EXPECT_EQ(open.resource_version, "20");
  EXPECT_FALSE(open.send_initial_events);
}

TEST_F(WatcherTest, ResumesAtOnceFromTheLastEventOrBookmark) {
  sync("20");
  apply("23");
  expect<Watcher::Apply>(Watcher::EventArrived{WatchEventType::kBookmark, "30"});
  expect<Watcher::AwaitEvent>(Watcher::Tick{});
  EXPECT_EQ(expect<Watcher::OpenWatch>(Watcher::StreamEnded{}).resource_version, "30");
}

TEST_F(WatcherTest, DropsEventsThatAreNotNewer) {
  sync("20");
  apply("23");
  expect<Watcher::AwaitEvent>(Watcher::EventArrived{WatchEventType::kModified, "23"});
  expect<Watcher::AwaitEvent>(Watcher::EventArrived{WatchEventType::kDeleted, "9"});
  EXPECT_EQ(watcher.resource_version(), "23");
}

TEST_F(WatcherTest, AnEventWithoutVersionIsNotSteppedOverButListedAgain) {
  sync("20");
  apply("23");
  expect<Watcher::AwaitEvent>(Watcher::EventArrived{WatchEventType::kBookmark, ""});
  slept(expect<Watcher::Sleep>(Watcher::EventArrived{WatchEventType::kDeleted, ""}));
  EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::Tick{}).resource_version, "23");
}

TEST_F(WatcherTest, AStreamWithoutProgressIsOpenedAgainLaterAndLater) {
  sync("20");
  rt::Duration shortest = milliseconds(800);
  for (int i = 0; i < 3; ++i) {
    const auto duration = slept(expect<Watcher::Sleep>(Watcher::StreamEnded{}));
    EXPECT_GE(duration, shortest);
    EXPECT_LE(duration, 2 * shortest);
    shortest *= 2;
    EXPECT_EQ(expect<Watcher::OpenWatch>(Watcher::Tick{}).resource_version, "20");
    expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  }
  apply("21");
  expect<Watcher::OpenWatch>(Watcher::StreamEnded{});
}

TEST_F(WatcherTest, AQuietStreamThatLastedIsOpenedAgainAtOnce) {
  sync("20");
  for (int i = 0; i < 10; ++i) {
    now += minutes(5);
    expect<Watcher::OpenWatch>(Watcher::StreamEnded{});
    expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  }
}

TEST_F(WatcherTest, BackOffHonoursWhatTheServerAsksForAndHasAnEnd) {
  sync("20");
  expect<Watcher::Sleep>(
      Watcher::Failed{.code = ErrorCode::kTooManyRequests, .retry_after = minutes(3)});
  now += minutes(3);
  expect<Watcher::OpenWatch>(Watcher::Tick{});
  for (int i = 0; i < 20; ++i) {
    const auto duration = slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kUnavailable}));
    EXPECT_LE(duration, seconds(60));
    watcher.step(Watcher::Tick{}, now, random);
  }
}

TEST_F(WatcherTest, GoneListsAgainNotOlderThanWhatWasSeen) {
  sync("20");
  apply("23");
  EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::Failed{ErrorCode::kGone}).resource_version, "23");
  expect<Watcher::Swap>(Watcher::PageArrived{"40", ""});
  EXPECT_EQ(expect<Watcher::OpenWatch>(Watcher::Tick{}).resource_version, "40");
}

TEST_F(WatcherTest, GoneWithoutProgressBacksOffBeforeTheList) {
  sync("20");
  slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kGone}));
  expect<Watcher::FetchPage>(Watcher::Tick{});
}

TEST_F(WatcherTest, AListVersionThatIsTooOldIsAskedForAsTheNewest) {
  sync("20");
  apply("23");
  expect<Watcher::FetchPage>(Watcher::Failed{ErrorCode::kGone});
  slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kGone}));
  EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::Tick{}).resource_version, "");
}

TEST_F(WatcherTest, AServerThatIsNotThatFarIsAskedAgainForTheSame) {
  sync("20");
  apply("23");
  expect<Watcher::FetchPage>(Watcher::Failed{ErrorCode::kGone});
  for (int i = 0; i < 3; ++i) {
    slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kTimeout}));
    EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::Tick{}).resource_version, "23");
  }
  // A store whose versions began again would refuse it for ever.
  slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kTimeout}));
  EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::Tick{}).resource_version, "");
}

TEST_F(WatcherTest, AListOlderThanWhatWasSeenIsRefused) {
  sync("20");
  apply("23");
  expect<Watcher::FetchPage>(Watcher::Failed{ErrorCode::kGone});
  slept(expect<Watcher::Sleep>(Watcher::PageArrived{"22", "more"}));
  expect<Watcher::FetchPage>(Watcher::Tick{});
  slept(expect<Watcher::Sleep>(Watcher::PageArrived{"22", ""}));
  EXPECT_EQ(watcher.resource_version(), "23");
  expect<Watcher::FetchPage>(Watcher::Tick{});
  expect<Watcher::Swap>(Watcher::PageArrived{"23", ""});
}

TEST_F(WatcherTest, AStoreThatStaysBehindForMinutesWasRestored) {
  sync("20");
  apply("23");
  expect<Watcher::FetchPage>(Watcher::Failed{ErrorCode::kGone});
  const rt::Time begin = now;
  for (int i = 0; i < 9; ++i) {
    slept(expect<Watcher::Sleep>(Watcher::PageArrived{"7", ""}));
    expect<Watcher::FetchPage>(Watcher::Tick{});
  }
  expect<Watcher::Swap>(Watcher::PageArrived{"7", ""});
  EXPECT_GT(now - begin, minutes(1));
  EXPECT_EQ(expect<Watcher::OpenWatch>(Watcher::Tick{}).resource_version, "7");
}

TEST_F(WatcherTest, ARestoredStoreIsSwappedInWithAllItsPages) {
  sync("20");
  apply("23");
  expect<Watcher::FetchPage>(Watcher::Failed{ErrorCode::kGone});
  for (int i = 0; i < 9; ++i) {
    slept(expect<Watcher::Sleep>(Watcher::PageArrived{"7", "more"}));
    expect<Watcher::FetchPage>(Watcher::Tick{});
  }
  EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::PageArrived{"7", "more"}).continue_token, "more");
  EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::PageArrived{"7", "last"}).continue_token, "last");
  EXPECT_EQ(watcher.resource_version(), "23");
  expect<Watcher::Swap>(Watcher::PageArrived{"7", ""});
  EXPECT_EQ(watcher.resource_version(), "7");
}

TEST_F(WatcherTest, ARestoredStoreWhosePagesFailIsListedAgain) {
  sync("20");
  expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kGone});
  expect<Watcher::FetchPage>(Watcher::Tick{});
  for (int i = 0; i < 9; ++i) {
    slept(expect<Watcher::Sleep>(Watcher::PageArrived{"7", "more"}));
    expect<Watcher::FetchPage>(Watcher::Tick{});
  }
  expect<Watcher::FetchPage>(Watcher::PageArrived{"7", "more"});
  slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kUnavailable}));
  EXPECT_EQ(expect<Watcher::FetchPage>(Watcher::Tick{}).continue_token, "");
  expect<Watcher::FetchPage>(Watcher::PageArrived{"8", "more"});
  expect<Watcher::Swap>(Watcher::PageArrived{"8", ""});
}

TEST_F(WatcherTest, AnExpiredTokenStartsOverWithoutPages) {
  expect<Watcher::FetchPage>(Watcher::Tick{});
  expect<Watcher::FetchPage>(Watcher::PageArrived{"20", "more"});
  slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kGone}));
  const auto again = expect<Watcher::FetchPage>(Watcher::Tick{});
  EXPECT_EQ(again.continue_token, "");
  EXPECT_EQ(again.limit, 0);
}

TEST_F(WatcherTest, AWatchThatCannotBeOpenedGivesWayToAList) {
  sync("20");
  for (int i = 0; i < 4; ++i) {
    slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kTimeout}));
    expect<Watcher::OpenWatch>(Watcher::Tick{});
  }
  slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kTimeout}));
  expect<Watcher::FetchPage>(Watcher::Tick{});
}

class StreamingWatcherTest : public WatcherTest {
 public:
  StreamingWatcherTest() { watcher = Watcher({.streams_initial_events = true}); }
};

TEST_F(StreamingWatcherTest, CollectsInitialEventsSwapsAtTheBookmarkAndGoesOn) {
  EXPECT_TRUE(expect<Watcher::OpenWatch>(Watcher::Tick{}).send_initial_events);
  expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  expect<Watcher::Collect>(Watcher::EventArrived{WatchEventType::kAdded, "12"});
  expect<Watcher::AwaitEvent>(Watcher::Tick{});
  expect<Watcher::Collect>(Watcher::EventArrived{WatchEventType::kAdded, "5"});
  expect<Watcher::AwaitEvent>(Watcher::Tick{});
  expect<Watcher::AwaitEvent>(Watcher::EventArrived{WatchEventType::kBookmark, "14"});
  expect<Watcher::Swap>(Watcher::EventArrived{WatchEventType::kBookmark, "15", true});
  expect<Watcher::AwaitEvent>(Watcher::Tick{});
  apply("16");
  EXPECT_FALSE(expect<Watcher::OpenWatch>(Watcher::StreamEnded{}).send_initial_events);
}

TEST_F(StreamingWatcherTest, AnInitialStreamThatIsGoneAtOnceIsNotOpenedAgainAtOnce) {
  expect<Watcher::OpenWatch>(Watcher::Tick{});
  expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  expect<Watcher::Swap>(Watcher::EventArrived{WatchEventType::kBookmark, "15", true});
  expect<Watcher::AwaitEvent>(Watcher::Tick{});
  apply("16");
  expect<Watcher::OpenWatch>(Watcher::Failed{ErrorCode::kGone});
  rt::Duration shortest = milliseconds(800);
  for (int i = 0; i < 2; ++i) {
    expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
    expect<Watcher::Swap>(Watcher::EventArrived{WatchEventType::kBookmark, "20", true});
    expect<Watcher::AwaitEvent>(Watcher::Tick{});
    EXPECT_GE(slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kGone})), shortest);
    EXPECT_TRUE(expect<Watcher::OpenWatch>(Watcher::Tick{}).send_initial_events);
    shortest *= 2;
  }
}

TEST_F(StreamingWatcherTest, GoesOverToListsForGoodWhereItIsRefused) {
  expect<Watcher::OpenWatch>(Watcher::Tick{});
  slept(expect<Watcher::Sleep>(Watcher::Failed{ErrorCode::kInvalid}));
  sync("20");
  apply("21");
  expect<Watcher::FetchPage>(Watcher::Failed{ErrorCode::kGone});
}

TEST_F(StreamingWatcherTest, ListsOnceWhenAnInitialStreamIsCut) {
  expect<Watcher::OpenWatch>(Watcher::Tick{});
  expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  expect<Watcher::Collect>(Watcher::EventArrived{WatchEventType::kAdded, "12"});
  expect<Watcher::AwaitEvent>(Watcher::Tick{});
  slept(expect<Watcher::Sleep>(Watcher::StreamEnded{}));
  sync("20");
  apply("21");
  const auto again = expect<Watcher::OpenWatch>(Watcher::Failed{ErrorCode::kGone});
  EXPECT_TRUE(again.send_initial_events);
  EXPECT_EQ(again.resource_version, "21");
}

TEST_F(StreamingWatcherTest, AnEventWithoutVersionIsLeftOutAmongInitialOnesOnly) {
  expect<Watcher::OpenWatch>(Watcher::Tick{});
  expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  expect<Watcher::AwaitEvent>(Watcher::EventArrived{WatchEventType::kAdded, ""});
  slept(expect<Watcher::Sleep>(Watcher::EventArrived{WatchEventType::kDeleted, ""}));
  expect<Watcher::FetchPage>(Watcher::Tick{});
}

TEST_F(StreamingWatcherTest, AnInitialStreamOlderThanWhatWasSeenIsRefused) {
  expect<Watcher::OpenWatch>(Watcher::Tick{});
  expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  expect<Watcher::Swap>(Watcher::EventArrived{WatchEventType::kBookmark, "20", true});
  expect<Watcher::AwaitEvent>(Watcher::Tick{});
  apply("23");
  expect<Watcher::OpenWatch>(Watcher::Failed{ErrorCode::kGone});
  expect<Watcher::AwaitEvent>(Watcher::WatchOpened{});
  expect<Watcher::Sleep>(Watcher::EventArrived{WatchEventType::kBookmark, "22", true});
  EXPECT_EQ(watcher.resource_version(), "23");
}

}  // namespace
}  // namespace berth::kube
