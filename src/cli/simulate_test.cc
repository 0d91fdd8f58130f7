#include "cli/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/exit_code.h"

namespace berth::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class Simulate : public testing::Test {
 protected:
  ExitCode run(const SimulateArguments& arguments) { return simulate(arguments, out_, err_); }

  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Simulate, RunsTheSeedsAndEndsWithTheirNumber) {
  EXPECT_EQ(run({.suite = "informers", .seeds = "3..4"}), ExitCode::kDone);
  EXPECT_THAT(out_.str(), EndsWith("\nseeds 2 violations 0\n"));
}

TEST_F(Simulate, OneSeedIsARangeToo) {
  EXPECT_EQ(run({.suite = "informers", .seeds = "3", .faults = "none"}), ExitCode::kDone);
  EXPECT_THAT(out_.str(), EndsWith("\nseeds 1 violations 0\n"));
}

TEST_F(Simulate, TraceTellsWhatHappens) {
  EXPECT_EQ(run({.suite = "informers", .seeds = "3", .trace = true}), ExitCode::kDone);
  EXPECT_THAT(out_.str(), HasSubstr("trace of seed 3\n"));
  EXPECT_THAT(out_.str(), HasSubstr("p0-1: starts\n"));
}

TEST_F(Simulate, ACrashCanBeReplayed) {
  EXPECT_EQ(run({.suite = "informers", .seeds = "3", .trace = true, .crash_at = "5:during"}),
            ExitCode::kDone);
  EXPECT_THAT(out_.str(), HasSubstr(": crashes\n"));
}

TEST_F(Simulate, AFaultThatNeverHitFailsWhereItIsNeeded) {
  EXPECT_EQ(run({.suite = "informers", .seeds = "3", .needs_every_fault = true}), ExitCode::kError);
  EXPECT_THAT(out_.str(), HasSubstr("missed: "));
}

TEST_F(Simulate, WrongArgumentsAreNamed) {
  for (const std::string seeds : {"", "a", "5..", "..5", "7..3", "1..2..3", "-1..2"}) {
    EXPECT_EQ(run({.suite = "informers", .seeds = seeds}), ExitCode::kError) << seeds;
  }
  EXPECT_THAT(err_.str(), HasSubstr("error: --seeds 7..3: expected A..B"));
  EXPECT_EQ(run({.suite = "nothing"}), ExitCode::kError);
  EXPECT_THAT(err_.str(), HasSubstr("there is no suite 'nothing'; there are\n  binding "));
  EXPECT_EQ(run({.suite = "informers", .faults = "crash,boredom"}), ExitCode::kError);
  EXPECT_EQ(run({.suite = "informers", .crash_at = "5:sometimes"}), ExitCode::kError);
  EXPECT_THAT(err_.str(), HasSubstr("'5:sometimes' is no crash"));
  EXPECT_THAT(err_.str(), HasSubstr("'boredom' is no fault; there are all, none, latency, "));
}

}  // namespace
}  // namespace berth::cli
