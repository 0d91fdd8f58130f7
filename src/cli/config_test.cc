#include "cli/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/exit_code.h"

namespace berth::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Config : public testing::Test {
 protected:
  ExitCode check(const std::string& text, const std::string& file = "-") {
    std::istringstream in(text);
    return check_config(file, in, out_, err_);
  }

  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Config, TheDefaultPassesTheCheck) {
  std::ostringstream text;
  EXPECT_EQ(print_default_config(text), ExitCode::kDone);
  EXPECT_EQ(check(text.str()), ExitCode::kDone);
  EXPECT_THAT(out_.str(), StartsWith("profile default-scheduler\n"));
  EXPECT_EQ(err_.str(), "");
}

TEST_F(Config, EachProblemIsALineAndTheExitCodeSaysSo) {
  EXPECT_EQ(check("apiVersion: v1\nkind: Pod\nspec: {}\n"), ExitCode::kError);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(err_.str(),
            "error: standard input:2: kind: is \"Pod\", not KubeSchedulerConfiguration\n"
            "error: standard input:3: spec: there is no such field\n");
}

TEST_F(Config, ANoteIsNoError) {
  EXPECT_EQ(check("apiVersion: kubescheduler.config.k8s.io/v1\n"
                  "kind: KubeSchedulerConfiguration\nenableProfiling: true\n"),
            ExitCode::kDone);
  EXPECT_EQ(err_.str(), "note: standard input:3: enableProfiling: has no effect yet\n");
}

TEST_F(Config, AFileThatIsNotThereIsNamed) {
  EXPECT_EQ(check("", "/no/such/file"), ExitCode::kError);
  EXPECT_THAT(err_.str(), HasSubstr("error: /no/such/file cannot be opened"));
}

TEST_F(Config, TextFromTheFileCannotMoveTheCursor) {
  EXPECT_EQ(check("\"a\\x1b[2J\": 1\n"), ExitCode::kError);
  EXPECT_THAT(err_.str(), HasSubstr("a\\x1b[2J"));
}

}  // namespace
}  // namespace berth::cli
