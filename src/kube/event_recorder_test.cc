#include "kube/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "api/codec.h"
#include "api/objects/core_event.h"
#include "api/objects/events_event.h"
#include "base/error.h"
#include "kube/client.h"
#include "kube/event_recorder_state.h"
#include "kube/testing/event_server.h"
#include "rt/every_step.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"

namespace berth::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::event_of;
using testing::EventServer;
using ::testing::SizeIs;

TEST(EventRecorder, CreatesAnEventOfTheNewGroup) {
  EventServer server(1);
  server.start();
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  ASSERT_THAT(server.created, SizeIs(1));
  const CreateRequest& request = server.created.begin()->second;
  EXPECT_EQ(*request.kind, api::events::Event::kKind);
  const auto event = api::from_json<api::events::Event>(request.body);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->metadata.ns, "n");
  EXPECT_EQ(event->metadata.name.substr(0, 2), "a.");
  EXPECT_EQ(event->regarding.uid, "uid-a");
  EXPECT_EQ(event->reporting_controller, "berth");
  EXPECT_EQ(event->reporting_instance, "b-0");
  EXPECT_EQ(event->reason, "Scheduled");
  EXPECT_EQ(event->note, "note");
  EXPECT_TRUE(event->event_time);
  EXPECT_FALSE(event->series);
}

TEST(EventRecorder, CreatesAnEventOfTheCoreGroup) {
  EventServer server(1);
  server.start({}, EventSourceNames::Group::kCore);
  RecordedEvent of_node = event_of("x");
  of_node.regarding.ns = "";
  server.recorder->record(of_node);
  server.simulation.run_for(seconds(1));
  server.recorder->record(of_node);
  server.simulation.run_for(seconds(1));
  ASSERT_THAT(server.created, SizeIs(1));
  const auto event = api::from_json<api::Event>(server.created.begin()->second.body);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->metadata.ns, "default");
  EXPECT_EQ(event->count, 1);
  EXPECT_TRUE(event->first_timestamp);
  ASSERT_THAT(server.patches, SizeIs(1));
  EXPECT_EQ(api::from_json<api::Event>(server.patches[0].body)->count, 2);
}

TEST(EventRecorder, RepetitionsBecomeASeries) {
  EventServer server(1);
  server.start();
  for (int i = 0; i < 3; ++i) {
    server.recorder->record(event_of("a"));
    server.simulation.run_for(seconds(1));
  }
  server.recorder->record(event_of("a", "Failed"));
  server.simulation.run_for(seconds(1));
  EXPECT_THAT(server.created, SizeIs(2));
  ASSERT_THAT(server.patches, SizeIs(2));
  const auto patch = api::from_json<api::events::Event>(server.patches[1].body);
  ASSERT_TRUE(patch && patch->series);
  EXPECT_EQ(patch->series->count, 3);
  EXPECT_TRUE(patch->series->last_observed_time);
}

TEST(EventRecorder, ASeriesThatWasSilentIsOver) {
  EventServer server(1);
  server.start();
  server.recorder->record(event_of("a"));
  server.simulation.run_for(minutes(6));
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  EXPECT_THAT(server.created, SizeIs(2));
}

TEST(EventRecorder, AnObjectHasABudgetAndTheCountIsToldLater) {
  EventServer server(1);
  server.start();
  for (int i = 0; i < 100; ++i) {
    server.recorder->record(event_of("a"));
    server.simulation.run_for(seconds(1));
  }
  EXPECT_EQ(server.created.size() + server.patches.size(), 25U);
  EXPECT_EQ(server.recorder->counts().over_budget, 75U);
  server.recorder->record(event_of("b"));
  server.simulation.run_for(minutes(5));
  EXPECT_THAT(server.created, SizeIs(2)) << "another object has its own";
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  EXPECT_EQ(api::from_json<api::events::Event>(server.patches.back().body)->series->count, 101);
}

TEST(EventRecorder, AllTogetherHaveABudgetAndTheQueueALimit) {
  EventServer server(1);
  server.start({.overall = {.burst = 5, .refill = seconds(1)}, .queue_max = 20});
  for (int i = 0; i < 30; ++i) {
    server.recorder->record(event_of("pod-" + std::to_string(i)));
  }
  EXPECT_EQ(server.recorder->counts().queue_full, 10U);
  server.simulation.run_for(seconds(2));
  EXPECT_LE(server.created.size(), 8U);
  server.simulation.run_for(minutes(1));
  EXPECT_THAT(server.created, SizeIs(20));
}

TEST(EventRecorder, RemembersABoundedNumberOfSeries) {
  EventServer server(1);
  server.start({.series_max = 10});
  for (int i = 0; i < 50; ++i) {
    server.recorder->record(event_of("pod-" + std::to_string(i)));
    server.simulation.run_for(minutes(6));
  }
  EXPECT_THAT(server.created, SizeIs(50));
  for (int i = 0; i < 50; ++i) {
    server.recorder->record(event_of("burst-" + std::to_string(i)));
  }
  server.simulation.run_for(minutes(1));
  EXPECT_THAT(server.created, SizeIs(60));
  EXPECT_EQ(server.recorder->counts().over_budget, 40U);
}

TEST(EventRecorder, FailuresAreRetriedAFewTimesAndThenDropped) {
  EventServer server(1);
  server.start();
  server.errors = {Error(ErrorCode::kUnavailable, "no"), Error(ErrorCode::kServerError, "no")};
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(15));
  EXPECT_THAT(server.created, SizeIs(0));
  server.simulation.run_for(seconds(10));
  EXPECT_THAT(server.created, SizeIs(1));
  for (int i = 0; i < 3; ++i) {
    server.errors.emplace_back(ErrorCode::kUnavailable, "no");
  }
  server.errors.emplace_back(ErrorCode::kForbidden, "no");
  server.recorder->record(event_of("b"));
  server.recorder->record(event_of("c"));
  server.recorder->record(event_of("d"));
  server.simulation.run_for(minutes(1));
  EXPECT_THAT(server.created, SizeIs(2));
  EXPECT_EQ(server.recorder->counts().failed, 2U);
}

TEST(EventRecorder, AnEventThatExpiredIsCreatedAgainWithItsCount) {
  EventServer server(1);
  server.start();
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  server.created.clear();
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  ASSERT_THAT(server.created, SizeIs(1));
  const auto event = api::from_json<api::events::Event>(server.created.begin()->second.body);
  EXPECT_EQ(event->series->count, 2);
}

TEST(EventRecorder, ARepetitionIsToldAlsoWhenTheAnswerOfTheCreateWasLost) {
  EventServer server(1);
  server.start();
  server.loses_answers = true;
  server.recorder->record(event_of("a"));
  server.simulation.run_for(seconds(1));
  ASSERT_THAT(server.created, SizeIs(1));
  server.loses_answers = false;
  server.recorder->record(event_of("a"));
  server.simulation.run_for(minutes(1));
  ASSERT_THAT(server.patches, SizeIs(1));
  EXPECT_EQ(api::from_json<api::events::Event>(server.patches[0].body)->series->count, 2);
  EXPECT_EQ(server.recorder->counts().created, 1U);
  EXPECT_EQ(server.recorder->counts().patched, 1U);
}

TEST(EventRecorder, NotesAreCutBetweenCharacters) {
  EventServer server(1);
  server.start();
  RecordedEvent event = event_of("a");
  event.note = std::string(1023, 'x') + "\xC3\xA9";
  server.recorder->record(event);
  server.simulation.run_for(seconds(1));
  const auto sent = api::from_json<api::events::Event>(server.created.begin()->second.body);
  EXPECT_EQ(sent->note, std::string(1023, 'x'));
}

TEST(EventRecorder, ANameThatIsCutIsStillAName) {
  EventServer server(1);
  server.start();
  server.recorder->record(event_of(std::string(228, 'x') + "-.yyyy"));
  server.simulation.run_for(seconds(1));
  ASSERT_THAT(server.created, SizeIs(1));
  const std::string& name = server.created.begin()->first;
  EXPECT_EQ(name.substr(0, 229), std::string(228, 'x') + ".");
  EXPECT_EQ(name.size(), 228U + 17U);
}

struct BusyServer : EventServer {
  explicit BusyServer(std::uint64_t seed) : EventServer(seed) {
    errors = {Error(ErrorCode::kUnavailable, "no")};
    start({.overall = {.burst = 2, .refill = seconds(1)}});
    for (const char* pod : {"a", "b", "a", "c"}) {
      recorder->record(event_of(pod));
    }
    others.emplace(simulation, "others");
    others->spawn("again", record_again(this));
  }
  static rt::Task<void> record_again(BusyServer* server) {
    co_await rt::sleep_for(server->simulation, minutes(1), {});
    server->recorder->record(event_of("a"));
  }
  void restart() {
    scope.emplace(simulation, "again");
    scope->spawn("events", recorder->run(scope->token()));
  }

  std::optional<rt::Scope> others;
};

void expect_all_sent(BusyServer& server, const std::string& when) {
  EXPECT_THAT(server.created, SizeIs(3)) << when;
  ASSERT_FALSE(server.patches.empty()) << when;
  const auto patch = api::from_json<api::events::Event>(server.patches.back().body);
  EXPECT_EQ(patch->series->count, 3) << when;
  EXPECT_EQ(server.recorder->counts().failed, 0U) << when;
}

TEST(EventRecorder, GivenUpAtAnyAwaitAnotherRunSendsTheRestOnce) {
  std::set<std::string> waits;
  rt::at_every_step<BusyServer>(
      {.seed = 9, .waits = &waits, .victim = "test/"},
      [](BusyServer& server) {
        server.scope.reset();
        server.restart();
      },
      expect_all_sent);
  EXPECT_THAT(waits,
              ElementsAre("test/events: waits for a create to arrive",
                          "test/events: waits for a patch to arrive",
                          "test/events: waits for a timer",
                          "test/events: waits for events to send",
                          "test/events: waits for the answer to a create",
                          "test/events: waits for the answer to a patch"));
}

TEST(EventRecorder, CancelledAtAnyAwaitEndsAndAnotherRunSendsTheRestOnce) {
  rt::at_every_step<BusyServer>(
      {.seed = 10},
      [](BusyServer& server) {
        server.scope->cancel();
        server.simulation.run_for(seconds(1));
        EXPECT_EQ(server.scope->size(), 0U);
        server.restart();
      },
      expect_all_sent);
}

}  // namespace
}  // namespace berth::kube
