#include "rt/real/process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX has more in it than C
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "rt/cancel.h"
#include "rt/programs.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using How = ProgramEnd::How;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

Program shell(std::string script) {
  return {.path = "/bin/sh", .arguments = {"-c", std::move(script)}};
}

// Each test ends without a child and without a descriptor more than at its start.
class ProcessTest : public testing::Test {
 protected:
  ~ProcessTest() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_EQ(errno, ECHILD);
    EXPECT_EQ(open_descriptors(), descriptors_);
  }

  static Task<void> run_and_stop(RealRuntime* runtime,
                                 Programs* programs,
                                 Program program,
                                 CancelToken token,
                                 std::optional<Result<ProgramEnd>>* end) {
    end->emplace(co_await programs->run(std::move(program), {.token = token}));
    runtime->stop();
  }

  Result<ProgramEnd> run(Program program) {
    std::optional<Result<ProgramEnd>> end;
    Scope scope(*runtime_, "test");
    scope.spawn("run",
                run_and_stop(&*runtime_, &programs_, std::move(program), scope.token(), &end));
    runtime_->run();
    return *std::move(end);
  }

  // Whether no process of that number runs, or only what is left of one that nobody reaps. One that
  // was killed may take a moment to go.
  bool is_gone(const std::string& pid) {
    for (int tries = 0; tries < 1000; ++tries) {
      std::ifstream file(fmt::format("/proc/{}/stat", std::stoi(pid)));
      std::string number;
      std::string name;
      std::string state;
      if (!(file >> number >> name >> state) || state == "Z" || state == "X") {
        return true;
      }
      Scope scope(*runtime_, "pause");
      scope.spawn("pause", pause(&*runtime_));
      runtime_->run();
    }
    return false;
  }
  static Task<void> pause(RealRuntime* runtime) {
    co_await sleep_for(*runtime, milliseconds(5), {});
    runtime->stop();
  }

  std::size_t descriptors_ = open_descriptors();
  std::optional<RealRuntime> runtime_{1U};
  RealPrograms programs_{*runtime_, milliseconds(50)};

  void TearDown() override { runtime_.reset(); }
};

TEST_F(ProcessTest, GivesWhatAProgramWroteAndItsExitCode) {
  const auto end = run(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_EQ(end->how, How::kExited);
  EXPECT_EQ(end->code, 3);
  EXPECT_EQ(end->output, "out\n");
  EXPECT_EQ(end->errors, "err\n");
}

TEST_F(ProcessTest, ArgumentsAndEnvironmentArriveAndOursIsKept) {
  Program program{.path = "sh",
                  .arguments = {"-c", "echo \"$0 $1 $BERTH_TEST $HOME\"", "a b", "$c"},
                  .environment = {{"BERTH_TEST", "x y"}, {"HOME", "/nowhere"}}};
  auto end = run(program);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output, "a b $c x y /nowhere\n");
  end = run(shell("test -n \"$PATH\""));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code, 0);
}

TEST_F(ProcessTest, HasNothingToReadNoDescriptorOfOursAndAGroupOfItsOwn) {
  const int leaked = ::dup(0);  // one that is not marked to be closed
  const auto end =
      run(shell("cat; ls /proc/self/fd | wc -l; "
                "cut -d' ' -f5 /proc/self/stat | grep -qx $$ && echo own"));
  ::close(leaked);
  ASSERT_TRUE(end);
  // 0 to 2, and the one with which ls reads the folder.
  EXPECT_EQ(end->output, "4\nown\n");
}

TEST_F(ProcessTest, AProgramThatIsMissingIsNamed) {
  auto end = run({.path = "berth-no-such-program"});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(end.error().text(), "there is no program 'berth-no-such-program'");
  end = run({.path = "/dev/null"});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), ErrorCode::kInvalid);
  EXPECT_THAT(end.error().text(), HasSubstr("'/dev/null' cannot be executed: "));
}

TEST_F(ProcessTest, ASignalIsTold) {
  const auto end = run(shell("kill -9 $$"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kSignalled);
  EXPECT_EQ(end->code, SIGKILL);
}

TEST_F(ProcessTest, AProgramThatHangsIsEndedWithItsChildren) {
  Program program = shell("sleep 1000 & echo $!; echo waiting >&2; wait");
  program.time_max = milliseconds(300);
  const auto end = run(program);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kTooLate);
  EXPECT_EQ(end->errors, "waiting\n");
  EXPECT_TRUE(is_gone(end->output));
}

TEST_F(ProcessTest, OneThatIgnoresTheRequestIsKilled) {
  Program program = shell("trap '' TERM; echo $$; while :; do sleep 0.01; done");
  program.time_max = milliseconds(300);
  const auto end = run(program);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kTooLate);
  EXPECT_TRUE(is_gone(end->output));
}

TEST_F(ProcessTest, OneThatEndsWhenAskedIsStillTooLate) {
  Program program = shell("trap 'echo bye; exit 0' TERM; while :; do sleep 0.01; done");
  program.time_max = milliseconds(300);
  const auto end = run(program);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kTooLate);
  EXPECT_EQ(end->output, "bye\n");
}

TEST_F(ProcessTest, TooMuchOutputEndsIt) {
  Program program = shell("while :; do echo 0123456789; done");
  program.output_max = 100'000;
  const auto end = run(program);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kTooMuch);
  EXPECT_EQ(end->output.size(), 100'000U);
}

TEST_F(ProcessTest, ExactlyAsMuchAsAllowedIsNotTooMuch) {
  Program program = shell("printf 12345");
  program.output_max = 5;
  const auto end = run(program);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kExited);
  EXPECT_EQ(end->output, "12345");
}

TEST_F(ProcessTest, OfManyComplaintsTheLastStay) {
  const auto end =
      run(shell("i=0; while test $i -lt 20000; do echo \"line $i\"; i=$((i+1)); done >&2"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kExited);
  EXPECT_EQ(end->errors.size(), 4096U);
  EXPECT_THAT(end->errors, EndsWith("line 19999\n"));
}

TEST_F(ProcessTest, AGrandchildThatHoldsThePipeKeepsNobodyWaitingAndGoes) {
  const auto end = run(shell("sleep 1000 & echo $!"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kExited);
  EXPECT_EQ(end->code, 0);
  EXPECT_TRUE(is_gone(end->output));
}

TEST_F(ProcessTest, OutputIsCompleteHoweverFastTheProgramEnds) {
  for (int i = 0; i < 50; ++i) {
    const auto end = run(shell("head -c 60000 /dev/zero"));
    ASSERT_TRUE(end);
    ASSERT_EQ(end->output.size(), 60'000U);
  }
}

Task<void> cancel_soon(RealRuntime* runtime, CancelSource* source) {
  co_await sleep_for(*runtime, milliseconds(20), {});
  source->cancel();
}

TEST_F(ProcessTest, CancelledItIsKilledAtOnce) {
  CancelSource source;
  std::optional<Result<ProgramEnd>> end;
  Scope scope(*runtime_, "test");
  scope.spawn("run",
              run_and_stop(
                  &*runtime_, &programs_, shell("trap '' TERM; sleep 1000"), source.token(), &end));
  scope.spawn("cancel", cancel_soon(&*runtime_, &source));
  runtime_->run();
  ASSERT_TRUE(end && !*end);
  EXPECT_EQ(end->error().code(), ErrorCode::kCancelled);
}

TEST_F(ProcessTest, CancelledBeforeItIsNotStarted) {
  CancelSource source;
  source.cancel();
  std::optional<Result<ProgramEnd>> end;
  Scope scope(*runtime_, "test");
  scope.spawn("run",
              run_and_stop(&*runtime_, &programs_, {.path = "/no/such"}, source.token(), &end));
  runtime_->run();
  ASSERT_TRUE(end && !*end);
  EXPECT_EQ(end->error().code(), ErrorCode::kCancelled);
}

Task<void> stop_soon(RealRuntime* runtime) {
  co_await sleep_for(*runtime, milliseconds(20), {});
  runtime->stop();
}

TEST_F(ProcessTest, GivenUpNothingOfItStays) {
  std::optional<Result<ProgramEnd>> end;
  {
    Scope scope(*runtime_, "test");
    scope.spawn("run", run_and_stop(&*runtime_, &programs_, shell("sleep 1000"), {}, &end));
    scope.spawn("stop", stop_soon(&*runtime_));
    runtime_->run();
  }
  EXPECT_FALSE(end);
}

TEST_F(ProcessTest, ManyRunBesideEachOther) {
  constexpr std::size_t kCount = 20;
  std::optional<Result<ProgramEnd>> ends[kCount];
  Scope scope(*runtime_, "test");
  std::size_t left = kCount;
  struct Counting {
    static Task<void> run(RealRuntime* runtime,
                          Programs* programs,
                          std::size_t* left,
                          std::optional<Result<ProgramEnd>>* end) {
      end->emplace(co_await programs->run(shell("echo done"), {}));
      if (--*left == 0) {
        runtime->stop();
      }
    }
  };
  for (auto& end : ends) {
    scope.spawn("run", Counting::run(&*runtime_, &programs_, &left, &end));
  }
  runtime_->run();
  for (const auto& end : ends) {
    ASSERT_TRUE(end && *end);
    EXPECT_EQ((*end)->output, "done\n");
  }
}

}  // namespace
}  // namespace berth::rt
