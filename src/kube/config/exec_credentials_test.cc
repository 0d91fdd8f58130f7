#include "kube/config/exec_credentials.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/time.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/failure.h"
#include "kube/http/credentials.h"
#include "kube/testing/fake_surroundings.h"
#include "rt/cancel.h"
#include "rt/pool.h"
#include "rt/programs.h"
#include "rt/random.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A program that takes a while and then says what it was told to say.
class FakePrograms final : public rt::Programs {
 public:
  explicit FakePrograms(rt::Runtime& runtime) : runtime_(runtime) {}

  rt::Task<Result<rt::ProgramEnd>> run(rt::Program program, rt::Until until) override {
    ++runs;
    ++running;
    most_running = std::max(most_running, running);
    last = std::move(program);
    const rt::Wake wake = co_await rt::sleep_for(runtime_, takes, until.token);
    --running;
    if (wake == rt::Wake::kCancelled) {
      co_return Error(ErrorCode::kCancelled, "cancelled");
    }
    co_return next;
  }

  int runs = 0;
  int running = 0;
  int most_running = 0;
  rt::Duration takes = milliseconds(100);
  rt::Program last;
  Result<rt::ProgramEnd> next = rt::ProgramEnd{};

 private:
  rt::Runtime& runtime_;
};

class ExecCredentialsTest : public testing::Test {
 protected:
  static ServerConfig config() {
    return {
        .user = "user 'u' in F",
        .exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .command = "login"}};
  }

  void answer(const std::string& token,
              std::optional<rt::Duration> life = std::nullopt,
              const std::string& certificate = "") {
    std::string status = fmt::format(R"("token":"{}")", token);
    if (life) {
      status += fmt::format(R"(,"expirationTimestamp":"{}")",
                            api::to_text(std::chrono::floor<std::chrono::microseconds>(
                                simulation_.wall_now() + *life)));
    }
    if (!certificate.empty()) {
      status += fmt::format(R"(,"clientCertificateData":"{}","clientKeyData":"k")", certificate);
    }
    programs_.next = rt::ProgramEnd{
        .output =
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{)" +
            status + "}}"};
  }
  void fail() { programs_.next = rt::ProgramEnd{.code = 1, .errors = "no login"}; }

  using Answer = std::optional<Result<http::Credential>>;

  static rt::Task<void> ask(http::Credentials* credentials, rt::Until until, Answer* answer) {
    answer->emplace(co_await credentials->current(until));
  }

  std::string text_of(const Answer& answer) {
    if (!answer) {
      return "waits";
    }
    return *answer ? (*answer)->token->reveal() : answer->error().text();
  }

  // The token that is shown, or the error.
  std::string token() {
    Answer answer;
    scope_.spawn("ask", ask(&credentials_, {}, &answer));
    simulation_.run_for(milliseconds(200));
    number_ = answer && *answer ? (*answer)->number : 0;
    return text_of(answer);
  }

  rt::Simulation simulation_{1};
  testing_support::FakeSurroundings surroundings_;
  FakePrograms programs_{simulation_};
  ExecCredentials credentials_{config(), simulation_, programs_, surroundings_};
  std::uint64_t number_ = 0;
  rt::Scope scope_{simulation_, "test"};
};

TEST_F(ExecCredentialsTest, OneRunServesAllWhoWaitAndAllWhoComeLater) {
  answer("a");
  std::vector<Answer> answers(50);
  for (Answer& one : answers) {
    scope_.spawn("ask", ask(&credentials_, {}, &one));
  }
  simulation_.run_for(milliseconds(200));
  for (const Answer& one : answers) {
    EXPECT_EQ(text_of(one), "a");
  }
  simulation_.run_for(hours(1000));
  EXPECT_EQ(token(), "a");
  EXPECT_EQ(programs_.runs, 1);
}

TEST_F(ExecCredentialsTest, RunsAgainShortlyBeforeTheEndWhileTheOldOneServes) {
  answer("a", seconds(1000));
  EXPECT_EQ(token(), "a");
  answer("b", seconds(2000));
  simulation_.run_for(seconds(960));
  EXPECT_EQ(token(), "a");
  EXPECT_EQ(programs_.runs, 1);
  simulation_.run_for(seconds(15));
  programs_.takes = seconds(5);
  EXPECT_EQ(token(), "a") << "nobody waits as long as it is good";
  EXPECT_EQ(programs_.runs, 2);
  simulation_.run_for(seconds(6));
  EXPECT_EQ(token(), "b");
  EXPECT_EQ(programs_.runs, 2);
}

TEST_F(ExecCredentialsTest, WhatHasExpiredIsNotShown) {
  answer("a", seconds(10));
  EXPECT_EQ(token(), "a");
  simulation_.run_for(seconds(11));
  answer("b", seconds(10));
  EXPECT_EQ(token(), "b");
}

TEST_F(ExecCredentialsTest, WhatComesExpiredIsNoStorm) {
  answer("a", -seconds(10));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(token(), "a");
  }
  EXPECT_EQ(programs_.runs, 1);
  simulation_.run_for(seconds(5));
  EXPECT_EQ(token(), "a");
  EXPECT_EQ(programs_.runs, 2);
}

TEST_F(ExecCredentialsTest, RunsAgainOnceWhenTheServerDoesNotKnowUs) {
  answer("a");
  EXPECT_EQ(token(), "a");
  const std::uint64_t first = number_;
  EXPECT_FALSE(credentials_.renew(first)) << "it ran just now";
  simulation_.run_for(seconds(10));
  answer("b");
  EXPECT_TRUE(credentials_.renew(first));
  EXPECT_TRUE(credentials_.renew(first));
  EXPECT_EQ(token(), "b");
  // One more that was refused with the first.
  EXPECT_TRUE(credentials_.renew(first));
  EXPECT_EQ(token(), "b");
  EXPECT_EQ(programs_.runs, 2);
}

TEST_F(ExecCredentialsTest, AFailureIsToldToAllAndTriedAgainLater) {
  fail();
  const std::string text =
      "exec plugin 'login' of user 'u' in F: failed with exit code 1: no login; run it by hand to "
      "see more";
  EXPECT_EQ(token(), text);
  EXPECT_EQ(token(), text);
  EXPECT_EQ(programs_.runs, 1);
  simulation_.run_for(seconds(5));
  answer("a");
  EXPECT_EQ(token(), "a");
}

TEST_F(ExecCredentialsTest, AFailureBeforeTheEndHarmsNobody) {
  answer("a", seconds(1000));
  EXPECT_EQ(token(), "a");
  simulation_.run_for(seconds(980));
  fail();
  EXPECT_EQ(token(), "a");
  EXPECT_EQ(token(), "a");
  EXPECT_EQ(programs_.runs, 2);
  simulation_.run_for(seconds(20));
  EXPECT_THAT(token(), testing::HasSubstr("failed with exit code 1"));
}

TEST_F(ExecCredentialsTest, WhoGoesAwayDoesNotEndTheRunOfOthers) {
  answer("a");
  Answer early;
  Answer cancelled;
  Answer patient;
  rt::CancelSource source;
  scope_.spawn("early",
               ask(&credentials_, {.deadline = simulation_.now() + milliseconds(10)}, &early));
  scope_.spawn("cancelled", ask(&credentials_, {.token = source.token()}, &cancelled));
  scope_.spawn("patient", ask(&credentials_, {}, &patient));
  simulation_.run_for(milliseconds(20));
  source.cancel();
  simulation_.run_for(milliseconds(200));
  ASSERT_TRUE(early && !*early && cancelled && !*cancelled);
  EXPECT_EQ(early->error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(cancelled->error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(text_of(patient), "a");
  EXPECT_EQ(programs_.runs, 1);
}

TEST_F(ExecCredentialsTest, NeverTwoAtATime) {
  answer("a", seconds(1));
  for (int i = 0; i < 200; ++i) {
    static_cast<void>(token());
    credentials_.renew(number_);
  }
  EXPECT_EQ(programs_.most_running, 1);
}

TEST_F(ExecCredentialsTest, GoneWhileItRunsTheRunIsGivenUp) {
  auto credentials =
      std::make_unique<ExecCredentials>(config(), simulation_, programs_, surroundings_);
  Answer answer;
  scope_.spawn("ask", ask(credentials.get(), {}, &answer));
  simulation_.run_for(milliseconds(10));
  credentials.reset();
  simulation_.run_for(milliseconds(200));
  ASSERT_TRUE(answer && !*answer);
  EXPECT_EQ(answer->error().code(), ErrorCode::kCancelled);
}

TEST_F(ExecCredentialsTest, ANewCertificateWantsNewConnections) {
  int told = 0;
  credentials_.on_new_identity([&] { ++told; });
  answer("a", seconds(100), "one");
  EXPECT_EQ(token(), "a");
  EXPECT_EQ((*credentials_.identity())->certificate_pem, "one");
  EXPECT_EQ(told, 0) << "there were no connections yet";
  simulation_.run_for(seconds(100));
  answer("b", seconds(100), "one");
  EXPECT_EQ(token(), "b");
  EXPECT_EQ(told, 0);
  simulation_.run_for(seconds(100));
  answer("c", seconds(100), "two");
  EXPECT_EQ(token(), "c");
  EXPECT_EQ(told, 1);
  EXPECT_EQ((*credentials_.identity())->certificate_pem, "two");
}

TEST_F(ExecCredentialsTest, TheAuthorityIsReadForThePlugin) {
  ServerConfig with_info = config();
  with_info.exec->wants_cluster_info = true;
  with_info.authority.path = "/ca";
  ExecCredentials credentials(with_info, simulation_, programs_, surroundings_);
  Answer first;
  scope_.spawn("ask", ask(&credentials, {}, &first));
  simulation_.run_for(seconds(10));
  EXPECT_EQ(text_of(first),
            "exec plugin 'login' of user 'u' in F: certificate-authority /ca: cannot be opened: No "
            "such file or directory");
  EXPECT_EQ(first->error().reason(), failure::kNoCredentials);
  surroundings_.files["/ca"] = "CA";
  answer("a");
  Answer second;
  scope_.spawn("ask", ask(&credentials, {}, &second));
  simulation_.run_for(seconds(1));
  EXPECT_EQ(text_of(second), "a");
  EXPECT_THAT(programs_.last.environment.back().second,
              testing::HasSubstr(R"("certificate-authority-data":"Q0E=")"));
}

// It runs early, while the last token is still good; the server does not take that one any more.
TEST_F(ExecCredentialsTest, ATokenThatIsRefusedWhileTheNextOneIsMadeIsNotShownAgain) {
  answer("a", seconds(100));
  EXPECT_EQ(token(), "a");
  simulation_.run_for(seconds(85));
  answer("b", seconds(100));
  programs_.takes = seconds(3);
  EXPECT_EQ(token(), "a");  // while it runs
  EXPECT_EQ(programs_.runs, 2);
  EXPECT_TRUE(credentials_.renew(number_));
  Answer next;
  scope_.spawn("ask", ask(&credentials_, {}, &next));
  simulation_.run_for(milliseconds(200));
  EXPECT_EQ(text_of(next), "waits");
  simulation_.run_for(seconds(5));
  EXPECT_EQ(text_of(next), "b");
  EXPECT_EQ(programs_.runs, 2);
}

// Its clocks go on with every reading, as real ones do.
class PassingRuntime final : public rt::Runtime {
 public:
  explicit PassingRuntime(rt::Simulation& simulation)
      : Runtime(simulation.reactor()), simulation_(simulation) {}

  rt::Time now() const override { return simulation_.now() + rt::Duration(++readings_); }
  rt::WallTime wall_now() const override { return simulation_.wall_now(); }
  rt::Random& random() override { return simulation_.random(); }
  rt::Pool& pool() override { return simulation_.pool(); }

 private:
  rt::Simulation& simulation_;
  mutable int readings_ = 0;
};

TEST_F(ExecCredentialsTest, OneThatCameExpiredIsShownAtEveryMomentBeforeTheNextRun) {
  for (int early = 0; early < 20; ++early) {
    PassingRuntime runtime(simulation_);
    ExecCredentials credentials(config(), runtime, programs_, surroundings_);
    answer("old", seconds(-10));
    Answer first;
    scope_.spawn("ask", ask(&credentials, {}, &first));
    simulation_.run_for(programs_.takes);
    ASSERT_EQ(text_of(first), "old");
    simulation_.run_for(ExecCredentials::kRunsApart - rt::Duration(early));
    Answer again;
    scope_.spawn("ask", ask(&credentials, {}, &again));
    simulation_.run_for(seconds(1));
    EXPECT_EQ(text_of(again), "old") << early;
  }
}

}  // namespace
}  // namespace berth::kube::config
