// A binder on an embedded store, in virtual time; docs/reference/bind-request.md is what it keeps.
#include "binder/binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "binder/binder_fixture.h"
#include "binder/harbour.h"

namespace berth::binder {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Pair;

TEST_F(BinderTest, BindsAPlainPodWithTwoWrites) {
  fill();
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(harbour_.pod("a").spec.node_name, "n1");
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(reason(), "");
  EXPECT_THAT(harbour_.client().calls, ElementsAre("bind a", "status a"));
  EXPECT_EQ(harbour_.binder().counts().bound, 1U);
}

TEST_F(BinderTest, BindsWhatComesLater) {
  harbour_.start();
  harbour_.run();
  fill();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(BinderTest, WritesTheReceivedTypeWithTheBinding) {
  harbour_.make_node("n1");
  harbour_.make_pod("a");
  harbour_.order("a", "n1", R"(,"receivedResourceType":"Regular")");
  harbour_.start();
  harbour_.run();
  EXPECT_THAT(harbour_.pod("a").metadata.annotations,
              testing::Contains(Pair("received-resource-type", "Regular")));
}

TEST_F(BinderTest, LeavesWhatIsDoneAlone) {
  fill();
  harbour_.start();
  harbour_.run();
  const auto before = harbour_.client().calls.size();
  harbour_.run();
  EXPECT_EQ(harbour_.client().calls.size(), before);
}

TEST_F(BinderTest, APodThatIsBoundThereIsSuccess) {
  fill();
  harbour_.bind_by_hand("a", "n1");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(harbour_.count("bind a"), 0U);
}

TEST_F(BinderTest, APodThatIsBoundElsewhereIsSuccessAndSaysWhere) {
  fill();
  harbour_.bind_by_hand("a", "n2");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(reason(), "pod is bound to node n2, not by this request to n1");
}

TEST_F(BinderTest, ABoundPodNeedsNoNode) {
  harbour_.make_pod("a");
  harbour_.bind_by_hand("a", "gone");
  harbour_.order("a", "gone");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(BinderTest, FailsOnceWhenThereIsNoPod) {
  harbour_.make_node("n1");
  harbour_.order("a", "n1");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(reason(), "Pod \"a\" not found");
  EXPECT_EQ(harbour_.count("status a"), 1U);
  // That it is not in the cache was not enough.
  EXPECT_EQ(harbour_.count("get Pod a"), 1U);
}

TEST_F(BinderTest, FailsWhenThereIsNoNode) {
  harbour_.make_pod("a");
  harbour_.order("a", "n1");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(reason(), "Node \"n1\" not found");
  EXPECT_EQ(harbour_.count("bind a"), 0U);
  // Neither the node nor the pod is judged by the cache alone.
  EXPECT_THAT(harbour_.client().calls, ElementsAre("get Node n1", "get Pod a", "status a"));
}

// Found by `berth sim binding`: the node went between the binding and a status that had to be
// written again.
TEST_F(BinderTest, APodThatWasBoundIsNotSaidToHaveFailedBecauseItsNodeWent) {
  fill();
  harbour_.client().fate = [this, left = 1](const std::string& call) mutable {
    if (call == "bind a") {
      harbour_.client().hold(api::Pod::kKind);
    }
    if (call != "status a" || left-- == 0) {
      return Fate{};
    }
    harbour_.remove_node("n1");
    return Fate{.refused = Error(ErrorCode::kTooManyRequests, "full").with_retry_after(seconds(1))};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(harbour_.count("bind a"), 1U);
}

// Found by `berth sim binding`: a last failure whose answer was lost, and the pod was bound after
// all by who did not know that it had been said.
TEST_F(BinderTest, AFailureWhoseAnswerIsLostIsReadBackBeforeAnythingElse) {
  harbour_.make_pod("a");
  harbour_.order("a", "n1");
  harbour_.client().fate = [this](const std::string& call) {
    if (call == "status a") {
      harbour_.client().hold(api::BindRequest::kKind);
      harbour_.make_node("n1");
      return Fate{.is_lost = true};
    }
    return Fate{};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(harbour_.count("bind a"), 0U);
  EXPECT_EQ(harbour_.pod("a").spec.node_name, "");
}

TEST_F(BinderTest, AFlawedOrderFailsWithoutARead) {
  harbour_.order("a", "");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(reason(), "invalid bind request: spec.selectedNode is empty");
  EXPECT_THAT(harbour_.client().calls, ElementsAre("status a"));
}

TEST_F(BinderTest, APodThatNeedsMoreIsRefused) {
  harbour_.make_node("n1");
  harbour_.make_pod("a", R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])");
  harbour_.order("a", "n1");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(reason(), "pod <default/a> has volume claims, which this binder does not bind yet");
  EXPECT_EQ(harbour_.pod("a").spec.node_name, "");
}

TEST_F(BinderTest, APodThatIsBeingDeletedIsNotBound) {
  harbour_.make_node("n1");
  harbour_.make_pod("a", "", R"(,"finalizers":["berth.dev/test"])");
  harbour_.order("a", "n1");
  harbour_.remove_pod("a");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(reason(), "pod <default/a> is being deleted");
  EXPECT_EQ(harbour_.count("bind a"), 0U);
}

TEST_F(BinderTest, ACacheThatIsBehindDoesNotMakeAnOrderFail) {
  harbour_.start();
  harbour_.run();
  harbour_.client().hold(api::Pod::kKind);
  harbour_.client().hold(api::Node::kKind);
  fill();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_THAT(harbour_.client().calls,
              ElementsAre("get Pod a", "get Node n1", "bind a", "status a"));
}

TEST_F(BinderTest, ABindingWhoseAnswerIsLostIsLookedUpAndNotRepeated) {
  fill();
  once("bind a", {.is_lost = true});
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_THAT(harbour_.client().calls, ElementsAre("bind a", "get Pod a", "status a"));
}

TEST_F(BinderTest, ABindingThatNeverArrivedIsSentAgain) {
  fill();
  once("bind a", {.refused = Error(ErrorCode::kUnknownOutcome, "cut")});
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_THAT(harbour_.client().calls, ElementsAre("bind a", "get Pod a", "bind a", "status a"));
}

TEST_F(BinderTest, AStatusWhoseAnswerIsLostIsNotWrittenTwice) {
  fill();
  once("status a", {.is_lost = true});
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_THAT(harbour_.client().calls, ElementsAre("bind a", "status a"));
  // It counts all the same, since it came back by the watch.
  EXPECT_EQ(harbour_.binder().counts().bound, 1U);
}

TEST_F(BinderTest, AStatusWhoseAnswerIsLostIsReadBackIfTheWatchIsLate) {
  fill();
  harbour_.client().fate = [this, left = 1](const std::string& call) mutable {
    if (call != "status a" || left-- == 0) {
      return Fate{};
    }
    harbour_.client().hold(api::BindRequest::kKind);
    return Fate{.is_lost = true};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_THAT(harbour_.client().calls, ElementsAre("bind a", "status a", "get BindRequest a"));
  EXPECT_EQ(harbour_.binder().counts().bound, 1U);
}

TEST_F(BinderTest, ARefusedStatusIsWrittenAgain) {
  fill();
  once("status a", {.refused = Error(ErrorCode::kConflict, "changed")});
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(harbour_.count("status a"), 2U);
}

TEST_F(BinderTest, AConflictOverAPodThatIsBoundIsSuccess) {
  fill();
  harbour_.client().fate = [this](const std::string& call) {
    if (call == "bind a") {
      harbour_.bind_by_hand("a", "n1");  // a moment earlier
    }
    return Fate{};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(harbour_.count("bind a"), 1U);
}

// The binding is under way while everything says that the pod cannot be bound: if that were said,
// and the binding applied afterwards, the pod would run where nobody expects it.
TEST_F(BinderTest, NoFailureIsSaidWhileABindingMayStillLand) {
  fill();
  harbour_.client().fate = [bindings = 0](const std::string& call) mutable {
    if (call != "bind a") {
      return Fate{};
    }
    return ++bindings == 1 ? Fate{.lands_in = seconds(55)}
                           : Fate{.refused = Error(ErrorCode::kInvalid, "not any more")};
  };
  harbour_.start();
  harbour_.run_for(seconds(50));
  EXPECT_EQ(phase(), "");
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(harbour_.pod("a").spec.node_name, "n1");
}

TEST_F(BinderTest, TheFailureIsSaidOnceTheBindingCanNoLongerLand) {
  fill();
  harbour_.client().fate = [bindings = 0](const std::string& call) mutable {
    if (call != "bind a") {
      return Fate{};
    }
    return Fate{.refused = ++bindings == 1 ? Error(ErrorCode::kUnknownOutcome, "cut")
                                           : Error(ErrorCode::kInvalid, "not any more")};
  };
  harbour_.start();
  harbour_.run_for(seconds(89));
  EXPECT_EQ(phase(), "");
  harbour_.run_for(seconds(5));
  EXPECT_EQ(phase(), "Failed");
}

TEST(BinderAfterACrash, SaysNoFailureBeforeThePredecessorsWritesHaveLanded) {
  Harbour harbour({}, Predecessor::kVanished);
  harbour.make_pod("a");
  harbour.order("a", "n1");  // of which there is none
  harbour.make_pod("b");
  harbour.order("b", "");
  harbour.start();
  harbour.run_for(seconds(85));
  EXPECT_EQ(harbour.order_of("a").status.phase, "");
  // An order that nobody could ever have acted on need not wait.
  EXPECT_EQ(harbour.order_of("b").status.phase, "Failed");
  harbour.run_for(seconds(15));
  EXPECT_EQ(harbour.order_of("a").status.phase, "Failed");
}

TEST(BinderAfterACrash, FindsWhatThePredecessorBound) {
  Harbour harbour({}, Predecessor::kVanished);
  harbour.make_pod("a");
  harbour.order("a", "n1");
  harbour.start();
  harbour.run_for(seconds(60));
  harbour.bind_by_hand("a", "n1");
  harbour.run();
  EXPECT_EQ(harbour.order_of("a").status.phase, "Succeeded");
}

TEST_F(BinderTest, AnOrderThatAllowsMoreIsTriedAgainAndCounted) {
  harbour_.make_pod("a");
  harbour_.order("a", "n1", R"(,"backoffLimit":3)");
  harbour_.start();
  harbour_.run_for(milliseconds(500));
  EXPECT_EQ(harbour_.order_of("a").status.failed_attempts, 1);
  harbour_.run_for(seconds(1));
  EXPECT_EQ(harbour_.order_of("a").status.failed_attempts, 2);
  harbour_.run_for(seconds(1));
  EXPECT_EQ(harbour_.order_of("a").status.failed_attempts, 2);
  harbour_.run();
  EXPECT_EQ(harbour_.order_of("a").status.failed_attempts, 3);
  EXPECT_EQ(harbour_.count("status a"), 3U);
}

TEST_F(BinderTest, ARetrySucceedsWhenTheNodeHasCome) {
  harbour_.make_pod("a");
  harbour_.order("a", "n1", R"(,"backoffLimit":3)");
  harbour_.start();
  harbour_.run_for(milliseconds(500));
  EXPECT_EQ(phase(), "Failed");
  harbour_.make_node("n1");
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(reason(), "");
}

TEST_F(BinderTest, AnOrderForAnEarlierPodOfTheNameFails) {
  harbour_.make_node("n1");
  harbour_.make_pod("a");
  harbour_.create("BindRequest",
                  R"({"metadata":{"name":"a","ownerReferences":[
                      {"apiVersion":"v1","kind":"Pod","name":"a","uid":"somebody-else"}]},
                      "spec":{"podName":"a","selectedNode":"n1"}})");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(reason(), "bind request belongs to a previous instance of the pod");
  EXPECT_EQ(harbour_.pod("a").spec.node_name, "");
}

// The cache learns of somebody else's change, and only later of the status that we wrote after it.
TEST_F(BinderTest, AnOrderIsNotActedOnBeforeTheCacheHasSeenItsStatus) {
  fill();
  harbour_.client().fate = [this, is_first = true](const std::string& call) mutable {
    if (call == "status a" && std::exchange(is_first, false)) {
      harbour_.client().hold(api::BindRequest::kKind);
      harbour_.touch_order("a");
    }
    return Fate{};
  };
  harbour_.start();
  harbour_.run_for(seconds(30));
  EXPECT_EQ(phase(), "Succeeded");
  harbour_.client().pass_one(api::BindRequest::kKind);
  harbour_.run_for(seconds(30));
  harbour_.client().release(api::BindRequest::kKind);
  harbour_.run();
  EXPECT_THAT(harbour_.client().calls,
              ElementsAre("bind a", "status a", "get BindRequest a", "status a"));
}

TEST_F(BinderTest, AStatusThatNeverComesBackIsLookedFor) {
  fill();
  harbour_.client().fate = [this, is_first = true](const std::string& call) mutable {
    if (call == "status a" && std::exchange(is_first, false)) {
      harbour_.client().hold(api::BindRequest::kKind);
      harbour_.touch_order("a");
    }
    return Fate{};
  };
  harbour_.start();
  harbour_.run_for(seconds(30));
  harbour_.client().pass_one(api::BindRequest::kKind);
  harbour_.run_for(seconds(90));
  EXPECT_THAT(
      harbour_.client().calls,
      ElementsAre("bind a", "status a", "get BindRequest a", "status a", "get BindRequest a"));
}

// A cache that was filled before we led may not know what was said by who led before.
TEST_F(BinderTest, AnOrderThatIsClosedIsNotActedOnHoweverLateTheCacheIs) {
  harbour_.make_node("n1");
  harbour_.make_pod("a");
  harbour_.order("a", "n1");
  harbour_.client().hold(api::BindRequest::kKind);
  harbour_.start(seconds(10));
  harbour_.run_for(seconds(5));
  harbour_.close_order("a");
  harbour_.run_for(seconds(30));
  EXPECT_EQ(harbour_.count("bind a"), 0U);
  harbour_.run();
  EXPECT_EQ(harbour_.count("bind a"), 0U);
}

TEST_F(BinderTest, AnOrderThatIsTakenBackIsNotFulfilled) {
  harbour_.make_pod("a");
  harbour_.order("a", "n1");
  harbour_.client().fate = [this](const std::string& call) {
    if (call == "get Node n1") {
      harbour_.make_node("n1");
      harbour_.remove_order("a");
    }
    return Fate{.takes = milliseconds(10)};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(harbour_.count("get Node n1"), 1U);
  EXPECT_EQ(harbour_.pod("a").spec.node_name, "");
}

// A pod that was bound, removed and made anew; the order is for the new one and does not say so.
TEST_F(BinderTest, ABoundPodInTheCacheIsNotBelievedIfItMayBeAnotherOne) {
  harbour_.make_node("n2");
  harbour_.make_pod("a");
  harbour_.bind_by_hand("a", "n1");
  harbour_.start();
  harbour_.run();
  harbour_.client().hold(api::Pod::kKind);
  harbour_.remove_pod("a");
  harbour_.make_pod("a");
  harbour_.order("a", "n2");
  harbour_.run();
  EXPECT_EQ(harbour_.pod("a").spec.node_name, "n2");
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(BinderTest, ABoundPodIsSuccessWhateverItNeeds) {
  harbour_.make_pod("a", R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])");
  harbour_.bind_by_hand("a", "n1");
  harbour_.order("a", "n1", R"(,"receivedResourceType":"Fraction")");
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(BinderTest, TroubleWithoutEndIsSaid) {
  fill();
  always("bind a", {.refused = Error(ErrorCode::kUnknownOutcome, "a webhook is down")});
  harbour_.start();
  harbour_.run_for(seconds(119));
  EXPECT_EQ(phase(), "");
  harbour_.run();
  EXPECT_EQ(reason(), "failed to bind pod <default/a> to node <n1>: a webhook is down");
}

TEST_F(BinderTest, WhoIsNotRunningKeepsNoLine) {
  harbour_.start(seconds(60));
  for (int i = 0; i < 100; ++i) {
    harbour_.order("p" + std::to_string(i), "n1");
  }
  harbour_.run_for(seconds(30));
  EXPECT_EQ(harbour_.binder().open(), 0U);
  harbour_.run();
  EXPECT_EQ(harbour_.binder().counts().failed, 100U);
}

TEST_F(BinderTest, FinishesWhatItHasBegunWhenItIsStopped) {
  fill();
  harbour_.client().fate = [this](const std::string& call) {
    if (call == "bind a") {
      harbour_.stop().cancel();
    }
    return Fate{};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_TRUE(harbour_.has_ended());
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(BinderTest, ManyOrdersEachGetOneBinding) {
  constexpr std::size_t kPods = 500;
  harbour_.make_node("n1");
  for (std::size_t i = 0; i < kPods; ++i) {
    harbour_.make_pod("p" + std::to_string(i));
    harbour_.order("p" + std::to_string(i), "n1");
  }
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(harbour_.binder().counts().bound, kPods);
  EXPECT_EQ(harbour_.client().calls.size(), 2 * kPods);
}

}  // namespace
}  // namespace berth::binder
