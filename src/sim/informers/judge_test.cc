// What the judge finds, each shown to it directly: that it is found at all must not hang on a seed.
#include "sim/informers/judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/events_event.h"
#include "api/objects/lease.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/random.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "sim/informers/subject.h"
#include "sim/late_writes.h"
#include "world/cluster.h"
#include "world/faults.h"

namespace berth::sim::informers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kProcess = "p";

class JudgeTest : public testing::Test {
 protected:
  static Subject subject(const api::Kind& kind, std::string_view name) {
    return {.kind = &kind, .key = {.ns = "default", .name = std::string(name)}};
  }
  static Subject map(std::string_view name) { return subject(api::ConfigMap::kKind, name); }
  static Subject pod(std::string_view name) { return subject(api::Pod::kKind, name); }

  static kube::CreateRequest create(const Subject& subject, std::string_view rest = "") {
    return {.kind = subject.kind,
            .key = subject.key,
            .body = fmt::format(R"({{"metadata":{{"name":"{}"{}}}}})", subject.key.name, rest)};
  }
  static kube::CreateRequest post(const Subject& pod,
                                  std::string_view what,
                                  std::string_view rest) {
    return {.kind = pod.kind,
            .key = pod.key,
            .subresource = std::string(what),
            .body = fmt::format(R"({{"metadata":{{"name":"{}"}}{}}})", pod.key.name, rest)};
  }
  static kube::PatchRequest patch(const Subject& subject, std::string_view body) {
    return {.kind = subject.kind, .key = subject.key, .body = std::string(body)};
  }
  static kube::RemoveRequest remove(const Subject& subject) {
    return {.kind = subject.kind, .key = subject.key};
  }

  // Applies a write and tells the judge that it landed.
  void land(std::string_view sender, world::WriteKind kind, world::Write::Request request) {
    const world::Write write{
        .sender = std::string(sender), .kind = kind, .request = std::move(request)};
    const Result<std::string> outcome = apply(write.request);
    judge_.landed(write, outcome);
  }
  Result<std::string> apply(const world::Write::Request& request) {
    if (const auto* create = std::get_if<kube::CreateRequest>(&request)) {
      return cluster_.store().create(*create);
    }
    if (const auto* patch = std::get_if<kube::PatchRequest>(&request)) {
      return cluster_.store().patch(*patch);
    }
    auto removed = cluster_.store().remove(std::get<kube::RemoveRequest>(request));
    return removed ? Result<std::string>("") : std::move(removed).error();
  }
  void make(const Subject& subject, std::string_view rest = "") {
    EXPECT_TRUE(apply(create(subject, rest)).has_value());
  }
  void change(const Subject& subject, std::string_view body) {
    EXPECT_TRUE(apply(patch(subject, body)).has_value());
  }
  void handle(const Subject& subject) {
    const auto found = judge_.truth().find(subject);
    judge_.begin_work(std::string(kProcess), subject);
    judge_.end_work(
        std::string(kProcess), subject, found == judge_.truth().end() ? Seen{} : found->second);
  }
  void check_follower() { judge_.check_follower(std::string(kProcess), judge_.truth()); }

  rt::Simulation simulation_{1};
  world::Faults faults_{rt::Random(1), world::FaultSet::none()};
  world::Cluster cluster_{simulation_, faults_, 1000};
  Judge judge_{cluster_};
};

TEST_F(JudgeTest, AKeyThatWasNeverHandledIsFound) {
  judge_.started(std::string(kProcess));
  make(map("a"));
  make(map("b"));
  handle(map("b"));
  check_follower();
  EXPECT_THAT(judge_.violations(),
              ElementsAre(HasSubstr("p: ConfigMap default/a was never handled\n")));
}

TEST_F(JudgeTest, AKeyThatWasHandledBeforeItsLastChangeIsFound) {
  judge_.started(std::string(kProcess));
  make(map("a"));
  make(map("b"));
  handle(map("a"));
  handle(map("b"));
  change(map("a"), R"({"data":{"x":"1"}})");
  EXPECT_TRUE(cluster_.store().remove(remove(map("b"))).has_value());
  check_follower();
  EXPECT_THAT(
      judge_.violations(),
      ElementsAre(HasSubstr("p: ConfigMap default/a was last handled at version 4, and is at 6\n"),
                  "p: ConfigMap default/b was last handled at version 5, and is gone"));
}

TEST_F(JudgeTest, WhatWasHandledInTimeIsWell) {
  judge_.started(std::string(kProcess));
  make(map("a"));
  handle(map("a"));
  handle(map("never-there"));
  check_follower();
  EXPECT_THAT(judge_.violations(), IsEmpty());
}

TEST_F(JudgeTest, TwoFencesAtOnceAreFoundOnce) {
  judge_.fences_up(0);
  judge_.fences_up(1);
  EXPECT_THAT(judge_.violations(), IsEmpty());
  judge_.fences_up(2);
  judge_.fences_up(2);
  EXPECT_THAT(judge_.violations(), ElementsAre("2 processes may act as the leader at once"));
}

class Deletion : public JudgeTest {
 protected:
  void SetUp() override {
    judge_.started(std::string(kProcess));
    make(map("a"));
    uid_ = judge_.truth().at(map("a")).uid;
  }
  void gone(std::uint64_t version) {
    judge_.told_gone(std::string(kProcess), map("a"), uid_, version);
  }
  std::uint64_t now() { return cluster_.store().resource_version(); }

  std::string uid_;
};

TEST_F(Deletion, OfWhatLivesIsFound) {
  gone(now());
  EXPECT_THAT(judge_.violations(),
              ElementsAre("p: a handler was told that ConfigMap default/a was deleted, which lived "
                          "at version 4"));
}

TEST_F(Deletion, ThatIsToldOfAVersionAtWhichItLivedIsFoundAlsoWhenItHasGoneSince) {
  const std::uint64_t alive = now();
  EXPECT_TRUE(cluster_.store().remove(remove(map("a"))).has_value());
  gone(now());
  EXPECT_THAT(judge_.violations(), IsEmpty());
  gone(alive);
  EXPECT_EQ(judge_.violations().size(), 1U);
}

TEST_F(Deletion, OfAnObjectWhoseNameAnotherOneHasNowIsTrue) {
  EXPECT_TRUE(cluster_.store().remove(remove(map("a"))).has_value());
  make(map("a"));
  gone(now());
  EXPECT_THAT(judge_.violations(), IsEmpty());
}

TEST_F(Deletion, ThatIsFollowedByAnOlderStateIsFound) {
  const Seen before = judge_.truth().at(map("a"));
  EXPECT_TRUE(cluster_.store().remove(remove(map("a"))).has_value());
  gone(now());
  judge_.told(std::string(kProcess), map("a"), before);
  EXPECT_THAT(judge_.violations(),
              ElementsAre("p: a handler was told of ConfigMap default/a version 4 after 5"));
}

TEST_F(JudgeTest, AnEventThatIsSaidMoreOftenThanItHappenedIsFound) {
  const Subject event = subject(api::events::Event::kKind, "e");
  const auto say = [&](int count) { return fmt::format(R"({{"series":{{"count":{}}}}})", count); };
  judge_.recorded("p", "u", "Bound");
  EXPECT_TRUE(
      apply(kube::CreateRequest{.kind = event.kind,
                                .key = event.key,
                                .body = R"({"metadata":{"name":"e"},"reportingInstance":"p",)"
                                        R"("reason":"Bound","regarding":{"name":"a","uid":"u"}})"})
          .has_value());
  judge_.recorded("p", "u", "Bound");
  change(event, say(2));
  EXPECT_THAT(judge_.violations(), IsEmpty());
  change(event, say(3));
  EXPECT_THAT(judge_.violations(),
              ElementsAre("p: Bound of a is said 3 times and was recorded 2 times"));
}

rt::Task<void> wait_for(rt::WaitQueue* queue) {
  co_await queue->wait({});
}

TEST_F(JudgeTest, ARunThatShouldHaveComeFurtherNamesWhoWaitsForWhatOnce) {
  rt::WaitQueue never(simulation_, "a crane");
  rt::Scope scope(simulation_, "dock");
  scope.spawn("ship", wait_for(&never));
  simulation_.run_for(std::chrono::seconds(1));
  judge_.stalled("nothing is unloaded");
  judge_.stalled("nothing leaves");
  EXPECT_THAT(
      judge_.violations(),
      ElementsAre(HasSubstr("nothing is unloaded\ndock/ship: waits for a crane since 0.000s"),
                  "nothing leaves"));
}

class LateWrite : public JudgeTest {
 protected:
  void SetUp() override {
    judge_.started("first");
    judge_.started("second");
    renew("first");
    judge_.elected("first");
  }
  void second_leads() {
    renew("second");
    judge_.elected("second");
  }
  // Of the lease, sent and landed at these times of the sender's clock.
  void renew(std::string_view sender,
             std::chrono::seconds sent = std::chrono::seconds(0),
             std::chrono::seconds landed = std::chrono::seconds(0)) {
    judge_.landed({.sender = std::string(sender),
                   .kind = world::WriteKind::kLeasePatch,
                   .request = kube::PatchRequest{.kind = &api::Lease::kKind,
                                                 .body = fmt::format(R"("{}")", sender)},
                   .sent = rt::Time(sent),
                   .landed = rt::Time(landed)},
                  std::string());
  }
  std::uint64_t late(world::WriteKind kind, Late what) const {
    return judge_.late_writes().of(kind, what);
  }
};

TEST_F(LateWrite, IsNoneWhileItsSenderLeads) {
  make(map("a"));
  land("first", world::WriteKind::kPatch, patch(map("a"), R"({"data":{"x":"1"}})"));
  EXPECT_EQ(judge_.late_writes().total(), 0U);
}

TEST_F(LateWrite, IsOneThatLandsAfterItsSendersDeadlineThoughNobodyElseLeads) {
  make(map("a"));
  judge_.landed({.sender = "first",
                 .kind = world::WriteKind::kPatch,
                 .request = patch(map("a"), ""),
                 .landed = rt::Time(Judge::kRenewDeadline)},
                std::string());
  EXPECT_THAT(judge_.violations(), IsEmpty());
  EXPECT_EQ(late(world::WriteKind::kPatch, Late::kFirst), 1U);
}

TEST_F(LateWrite, OfALeaseIsOneThatIsOlderThanTheDeadlineWhenItLands) {
  renew("first", std::chrono::seconds(5), std::chrono::seconds(14));
  EXPECT_EQ(judge_.late_writes().total(), 0U);
  renew("first", std::chrono::seconds(5), std::chrono::seconds(15));
  EXPECT_EQ(late(world::WriteKind::kLeasePatch, Late::kFirst), 1U);
}

// By a lease that was written so late nobody may act.
TEST_F(LateWrite, OfALeaseLetsNobodySend) {
  renew("second", std::chrono::seconds(5), std::chrono::seconds(20));
  judge_.sent({.sender = "second",
               .kind = world::WriteKind::kPatch,
               .request = patch(map("a"), ""),
               .sent = rt::Time(std::chrono::seconds(20))});
  EXPECT_THAT(judge_.violations(),
              ElementsAre("second sends patch ConfigMap default/a after its renew deadline"));
}

TEST_F(LateWrite, OverOneOfALaterLeaderIsFoundAlsoWhenItsSenderIsGone) {
  make(map("a"));
  second_leads();
  judge_.ended("first");
  land("second", world::WriteKind::kPatch, patch(map("a"), R"({"data":{"x":"2"}})"));
  land("first", world::WriteKind::kPatch, patch(map("a"), R"({"data":{"x":"1"}})"));
  EXPECT_THAT(judge_.violations(),
              ElementsAre("patch ConfigMap default/a of leader 1 came over a write of leader 2"));
}

TEST_F(LateWrite, ThatComesFirstOrIsRefusedIsCounted) {
  make(map("a"));
  second_leads();
  land("first", world::WriteKind::kPatch, patch(map("a"), R"({"data":{"x":"1"}})"));
  land("second", world::WriteKind::kPatch, patch(map("a"), R"({"data":{"x":"2"}})"));
  land("first",
       world::WriteKind::kPatch,
       patch(map("a"), R"({"metadata":{"resourceVersion":"4"},"data":{"x":"1"}})"));
  EXPECT_THAT(judge_.violations(), IsEmpty());
  EXPECT_EQ(late(world::WriteKind::kPatch, Late::kFirst), 1U);
  EXPECT_EQ(late(world::WriteKind::kPatch, Late::kRefused), 1U);
}

TEST_F(LateWrite, RemovalOfWhatALaterLeaderMadeIsFound) {
  second_leads();
  land("second", world::WriteKind::kCreate, create(map("a-child")));
  land("first", world::WriteKind::kRemove, remove(map("a-child")));
  EXPECT_THAT(judge_.violations(), ElementsAre(HasSubstr("delete ConfigMap default/a-child of")));
}

TEST_F(LateWrite, BindingOfAPodThatALaterLeaderHasWrittenIsFound) {
  make(pod("a"));
  second_leads();
  land("second", world::WriteKind::kPatch, patch(pod("a"), R"({"metadata":{"labels":{"x":"1"}}})"));
  land(
      "first", world::WriteKind::kBinding, post(pod("a"), "binding", R"(,"target":{"name":"n1"})"));
  EXPECT_THAT(judge_.violations(), ElementsAre(HasSubstr("binding Pod default/a of leader 1")));
}

TEST_F(LateWrite, EvictionIsHarmlessOnlyOfAPodThatIsToGo) {
  make(pod("a"), R"(,"labels":{"evict":"yes"})");
  make(pod("b"));
  second_leads();
  for (const char* name : {"a", "b"}) {
    land("second",
         world::WriteKind::kBinding,
         post(pod(name), "binding", R"(,"target":{"name":"n1"})"));
  }
  land("first", world::WriteKind::kEviction, post(pod("a"), "eviction", ""));
  EXPECT_THAT(judge_.violations(), IsEmpty());
  EXPECT_EQ(late(world::WriteKind::kEviction, Late::kHarmless), 1U);
  land("first", world::WriteKind::kEviction, post(pod("b"), "eviction", ""));
  EXPECT_THAT(judge_.violations(), ElementsAre(HasSubstr("eviction Pod default/b of leader 1")));
}

TEST_F(LateWrite, CreationIsHarmlessAndJudgedByTheWish) {
  make(map("a"));
  second_leads();
  land("second", world::WriteKind::kCreate, create(map("a-child")));
  land("second", world::WriteKind::kRemove, remove(map("a-child")));
  land("first", world::WriteKind::kCreate, create(map("a-child")));
  EXPECT_THAT(judge_.violations(), IsEmpty());
  EXPECT_EQ(late(world::WriteKind::kCreate, Late::kHarmless), 1U);
  judge_.check_wishes();
  EXPECT_THAT(
      judge_.violations(),
      ElementsAre(HasSubstr("at the end ConfigMap default/a has a child and wants none\n")));
}

TEST_F(JudgeTest, EveryWishThatIsNotFulfilledIsFound) {
  make(pod("bound"));
  EXPECT_TRUE(apply(post(pod("bound"), "binding", R"(,"target":{"name":"n1"})")).has_value());
  make(pod("evicted"), R"(,"labels":{"evict":"yes"})");
  make(pod("fresh"));
  judge_.check_wishes();
  EXPECT_THAT(judge_.violations(),
              ElementsAre(HasSubstr("at the end Pod default/bound is not running\n"),
                          "at the end Pod default/evicted is still there and was to be evicted",
                          "at the end Pod default/fresh is not bound"));
}

TEST_F(JudgeTest, EveryWishForAConfigMapThatIsNotFulfilledIsFound) {
  make(map("a"));
  change(map("a"), R"({"data":{"value":"1"}})");
  make(map("b"));
  change(map("b"), R"({"data":{"child":"yes"}})");
  make(map("c-child"));
  judge_.check_wishes();
  EXPECT_THAT(
      judge_.violations(),
      ElementsAre(HasSubstr("at the end ConfigMap default/a has a value that no leader has seen\n"),
                  "at the end ConfigMap default/b has no child and wants one",
                  "at the end ConfigMap default/c-child is there and its parent is not"));
}

TEST_F(JudgeTest, WishesThatAreFulfilledOrOfWhatIsAboutToGoAreWell) {
  make(map("a"), R"(,"annotations":{"sim.berth.dev/seen":"1"})");
  change(map("a"), R"({"data":{"value":"1","child":"yes"}})");
  make(map("a-child"));
  make(pod("going"), R"(,"finalizers":["sim.berth.dev/hold"])");
  EXPECT_TRUE(cluster_.store().remove(remove(pod("going"))).has_value());
  make(pod("gone"));
  EXPECT_TRUE(cluster_.store().remove(remove(pod("gone"))).has_value());
  judge_.check_wishes();
  EXPECT_THAT(judge_.violations(), IsEmpty());
}

}  // namespace
}  // namespace berth::sim::informers
