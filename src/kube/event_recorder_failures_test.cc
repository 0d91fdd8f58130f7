// What becomes of events that cannot be sent, and who hears of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "api/objects/events_event.h"
#include "base/error.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/testing/event_server.h"

namespace berth::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::event_of;
using testing::EventServer;
using ::testing::SizeIs;

TEST(EventRecorder, EveryPatchNamesTheUidOfItsEvent) {
  for (const auto group : {EventSourceNames::Group::kEvents, EventSourceNames::Group::kCore}) {
    EventServer server(1);
    server.start({}, group);
    for (int i = 0; i < 3; ++i) {
      server.recorder->record(event_of("a"));
      server.simulation.run_for(seconds(1));
    }
    ASSERT_THAT(server.patches, SizeIs(2));
    for (const PatchRequest& patch : server.patches) {
      EXPECT_EQ(EventServer::uid_in(patch), "uid-1");
    }
  }
}

TEST(EventRecorder, AnEventThatIsAnotherOneByNowIsNotPatchedAsOurs) {
  EventServer server(1);
  server.start();
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  // Ours has expired, and somebody has put one of the same name in its place.
  server.uids.begin()->second = "uid-other";
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  ASSERT_THAT(server.patches, SizeIs(1));
  EXPECT_EQ(EventServer::uid_in(server.patches[0]), "uid-other") << "after a look at it";
  EXPECT_EQ(server.recorder->counts().failed, 0U);
}

TEST(EventRecorder, TellsOnceWhyAnEventCannotBeCreated) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kCancelled); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EventServer server(1);
    server.start();
    for (int tries = 0; tries < 6; ++tries) {
      server.errors.emplace_back(code, "no");
    }
    server.recorder->record(event_of("a"));
    server.recorder->record(event_of("b"));
    server.simulation.run_for(minutes(2));
    const bool is_ordinary = code == ErrorCode::kExists || code == ErrorCode::kCancelled;
    ASSERT_EQ(server.problems.size(), is_ordinary ? 0U : 1U) << name_of(code);
    if (!is_ordinary) {
      EXPECT_EQ(server.problems[0].error.code(), code);
      EXPECT_EQ(server.problems[0].kind, &api::events::Event::kKind);
    }
  }
}

TEST(EventRecorder, TellsOnceWhyAnEventCannotBePatched) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kCancelled); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EventServer server(1);
    server.start();
    server.recorder->record(event_of("a"));
    server.simulation.run_for(seconds(1));
    for (int tries = 0; tries < 2; ++tries) {
      server.patch_errors.emplace_back(code, "no");
    }
    server.recorder->record(event_of("a"));
    server.simulation.run_for(minutes(2));
    // Events expire.
    const bool is_ordinary = code == ErrorCode::kNotFound || code == ErrorCode::kCancelled;
    EXPECT_EQ(server.problems.size(), is_ordinary ? 0U : 1U) << name_of(code);
  }
}

TEST(EventRecorder, TellsAgainWhenTheReasonIsAnotherOrHasComeBack) {
  EventServer server(1);
  server.start();
  server.errors = {Error(ErrorCode::kForbidden, "no"),
                   Error(ErrorCode::kForbidden, "no"),
                   Error(ErrorCode::kInvalid, "no")};
  for (const char* pod : {"a", "b", "c", "d"}) {
    server.recorder->record(event_of(pod));
  }
  server.simulation.run_for(minutes(1));
  EXPECT_EQ(server.problems.size(), 2U);
  ASSERT_THAT(server.created, SizeIs(1));
  server.errors = {Error(ErrorCode::kInvalid, "no")};
  server.recorder->record(event_of("e"));
  server.simulation.run_for(minutes(1));
  EXPECT_EQ(server.problems.size(), 3U);
}

TEST(EventRecorder, AServerThatAsksForADayIsAskedAgainInMinutes) {
  EventServer server(1);
  server.start();
  server.errors = {
      Error(ErrorCode::kTooManyRequests, "busy").with_retry_after(std::chrono::hours(24))};
  server.recorder->record(event_of("a"));
  server.simulation.run_for(minutes(4));
  EXPECT_THAT(server.created, SizeIs(0));
  server.simulation.run_for(minutes(2));
  EXPECT_THAT(server.created, SizeIs(1));
}

}  // namespace
}  // namespace berth::kube
