// A binder and a server that is away, busy, or refuses; in virtual time.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "binder/binder_fixture.h"
#include "binder/harbour.h"
#include "rt/time.h"

namespace berth::binder {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(BinderTest, TroubleThatPassesMakesNoOrderFail) {
  for (const ErrorCode code : {ErrorCode::kUnavailable,
                               ErrorCode::kTooManyRequests,
                               ErrorCode::kServerError,
                               ErrorCode::kTimeout,
                               ErrorCode::kUnauthorized}) {
    Harbour harbour;
    harbour.make_node("n1");
    harbour.make_pod("a");
    harbour.order("a", "n1");
    harbour.client().fate = [code, left = 3](const std::string& call) mutable {
      return call == "bind a" && left-- > 0 ? Fate{.refused = Error(code, "not now")} : Fate{};
    };
    harbour.start();
    harbour.run();
    EXPECT_EQ(harbour.order_of("a").status.phase, "Succeeded") << name_of(code);
    EXPECT_EQ(harbour.count("bind a"), 4U) << name_of(code);
    EXPECT_EQ(harbour.binder().counts().troubles, 3U) << name_of(code);
  }
}

TEST_F(BinderTest, StaysAwayForAsLongAsItIsTold) {
  fill();
  once("bind a",
       {.refused = Error(ErrorCode::kTooManyRequests, "full").with_retry_after(seconds(7))});
  harbour_.start();
  harbour_.run_for(seconds(6));
  EXPECT_EQ(harbour_.count("bind a"), 1U);
  harbour_.run_for(seconds(2));
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(BinderTest, WhatIsInvalidFailsAtOnce) {
  fill();
  always("bind a", {.refused = Error(ErrorCode::kInvalid, "no such thing")});
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(reason(), "failed to bind pod <default/a> to node <n1>: no such thing");
  EXPECT_EQ(harbour_.count("bind a"), 1U);
}

// A server that has just started refuses who is allowed to, for some seconds.
TEST_F(BinderTest, WhatIsForbiddenIsDoubtedForAsLongAsAnyTrouble) {
  fill();
  always("bind a", {.refused = Error(ErrorCode::kForbidden, "binder may not bind")});
  harbour_.start();
  harbour_.run_for(seconds(110));
  EXPECT_EQ(phase(), "");
  harbour_.run_for(seconds(30));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(reason(), "failed to bind pod <default/a> to node <n1>: binder may not bind");
}

TEST_F(BinderTest, WhatIsForbiddenForAWhileIsBound) {
  fill();
  harbour_.client().fate = [this](const std::string& call) {
    const bool is_early = harbour_.simulation().now() < rt::Time(seconds(60));
    return call == "bind a" && is_early ? Fate{.refused = Error(ErrorCode::kForbidden, "not yet")}
                                        : Fate{};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
}

// A server that is away for long: neither a binding nor a read gets through.
TEST_F(BinderTest, AnOutageHoweverLongMakesNoOrderFail) {
  fill();
  harbour_.client().fate = [this](const std::string& call) {
    const rt::Time now = harbour_.simulation().now();
    const bool is_away = now < rt::Time(seconds(600));
    return is_away && call != "status a"
               ? Fate{.refused = Error(ErrorCode::kUnavailable, "connection refused")}
               : Fate{};
  };
  harbour_.start();
  harbour_.run_for(seconds(900));
  EXPECT_EQ(phase(), "Succeeded");
}

// The binding that would have exhausted our patience is refused by a server that is away, and the
// pod is read from one that is back.
TEST_F(BinderTest, APodThatCanBeBoundIsTriedOnceMoreBeforeItFails) {
  fill();
  harbour_.client().fate = [this](const std::string& call) {
    const bool is_away = harbour_.count("get Pod a") == 0;
    return call == "bind a" && is_away
               ? Fate{.refused = Error(ErrorCode::kUnavailable, "connection refused")}
               : Fate{};
  };
  harbour_.start();
  harbour_.run();
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(harbour_.count("get Pod a"), 1U);
}

TEST_F(BinderTest, ABindingThatBringsNothingButTroubleFailsInTheEnd) {
  for (const ErrorCode code : {ErrorCode::kUnavailable, ErrorCode::kUnknownOutcome}) {
    Harbour harbour;
    harbour.make_node("n1");
    harbour.make_pod("a");
    harbour.order("a", "n1");
    harbour.client().fate = [code](const std::string& call) {
      return call == "bind a" ? Fate{.refused = Error(code, "trouble")} : Fate{};
    };
    harbour.start();
    harbour.run_for(seconds(600));
    EXPECT_EQ(harbour.order_of("a").status.phase, "Failed") << name_of(code);
  }
}

TEST_F(BinderTest, ARefusalThatNothingExplainsIsDoubtedForAWhile) {
  fill();
  always("bind a", {.refused = Error(ErrorCode::kConflict, "has scheduling gates")});
  harbour_.start();
  harbour_.run_for(seconds(4));
  EXPECT_EQ(phase(), "");
  harbour_.run();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(reason(), "failed to bind pod <default/a> to node <n1>: has scheduling gates");
}

TEST_F(BinderTest, WhatKeepsItFromBeginningIsTold) {
  std::vector<std::string> told;
  Harbour harbour(
      {.on_problem = [&told](const Error& problem) { told.push_back(problem.text()); }});
  harbour.make_node("n1");
  harbour.make_pod("a");
  harbour.order("a", "n1");
  harbour.start(seconds(1));
  harbour.run_for(milliseconds(500));
  harbour.client().lists_refused = Error(ErrorCode::kForbidden, "binder may not list");
  harbour.run_for(seconds(30));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front(), "listing the bind requests: binder may not list");
  EXPECT_EQ(harbour.binder().counts().problems, told.size());
  ASSERT_TRUE(harbour.binder().problem());
  EXPECT_EQ(harbour.binder().problem()->code(), ErrorCode::kForbidden);
  harbour.client().lists_refused.reset();
  harbour.run_for(seconds(30));
  EXPECT_FALSE(harbour.binder().problem());
  EXPECT_EQ(harbour.order_of("a").status.phase, "Succeeded");
}

}  // namespace
}  // namespace berth::binder
