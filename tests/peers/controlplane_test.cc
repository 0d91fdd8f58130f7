#include "controlplane.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;

// Answers each frame with the same frame: with no answer frames that is a refusal in our words.
constexpr const char* kEcho = "/bin/cat";

bool has_children() {
  // NOLINTNEXTLINE(misc-include-cleaner): the flag's header is <sys/wait.h>, of which it is a part
  return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

class WithGo : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("BERTH_CONTROLPLANE") == nullptr) {
      GTEST_SKIP() << "BERTH_CONTROLPLANE is not set: nothing was compared with Go";
    }
  }
};

TEST_F(WithGo, YamlIsAnsweredInJson) {
  auto go = ControlPlane::start(yaml_role());
  ASSERT_TRUE(go) << go.error().text();
  auto answer = (*go)->exchange("a: [1, two]\n");
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(*answer, std::vector<std::string>{R"({"a":[1,"two"]})"});
}

TEST_F(WithGo, AnObjectComesBackInBothEncodings) {
  auto go = ControlPlane::start(canonical_role());
  ASSERT_TRUE(go) << go.error().text();
  const std::string json =
      R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a"},"spec":{},"status":{}})"
      "\n";
  auto answer = (*go)->exchange(json);
  ASSERT_TRUE(answer) << answer.error().text();
  ASSERT_EQ(answer->size(), 2U);
  EXPECT_EQ(answer->at(0), json);
  EXPECT_EQ(answer->at(1).substr(0, 4), std::string("k8s\0", 4));
  auto again = (*go)->exchange(answer->at(1));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, *answer);
}

TEST_F(WithGo, FramesOfMegabytesArriveWhole) {
  auto go = ControlPlane::start(yaml_role());
  ASSERT_TRUE(go) << go.error().text();
  const std::string large(5'000'000, 'x');
  auto answer = (*go)->exchange("a: " + large);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_TRUE(answer->at(0) == R"({"a":")" + large + R"("})");
}

TEST_F(WithGo, ARefusalIsAnErrorAndTheConversationGoesOn) {
  auto go = ControlPlane::start(canonical_role());
  ASSERT_TRUE(go) << go.error().text();
  const auto refused = (*go)->exchange(R"({"kind":"Pod","apiVersion":"v1","spec":{"nodName":""}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalid);
  EXPECT_NE(refused.error().text().find("nodName"), std::string::npos) << refused.error().text();
  EXPECT_TRUE((*go)->exchange(R"({"kind":"Pod","apiVersion":"v1"})"));
}

TEST(ControlPlane, CarriesFramesLargerThanAPipeHolds) {
  auto echo = ControlPlane::start_program(kEcho, {{}, 0});
  ASSERT_TRUE(echo) << echo.error().text();
  const std::string large(100'000, 'x');
  const auto answer = (*echo)->exchange(large);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kInvalid);
  EXPECT_EQ(answer.error().text(), large);
}

TEST(ControlPlane, RequestsPastTheLimitAreNotSent) {
  auto echo = ControlPlane::start_program(kEcho, {{}, 0});
  ASSERT_TRUE(echo) << echo.error().text();
  const auto answer = (*echo)->exchange(std::string(ControlPlane::kFrameLenMax + 1, 'x'));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kLimit);
  EXPECT_TRUE((*echo)->exchange(""));
}

TEST(ControlPlane, AProgramThatIsSilentIsGivenUpAndEnded) {
  {
    auto silent = ControlPlane::start_program("/bin/sleep", {{"600"}, 1}, milliseconds(50));
    ASSERT_TRUE(silent) << silent.error().text();
    for (int attempt = 0; attempt < 2; ++attempt) {
      const auto answer = (*silent)->exchange("hello");
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
    }
  }
  EXPECT_FALSE(has_children());
}

TEST(ControlPlane, AProgramThatDoesNotLeaveByItselfIsEnded) {
  {
    ASSERT_TRUE(ControlPlane::start_program("/bin/sleep", {{"600"}, 1}, milliseconds(50)));
  }
  EXPECT_FALSE(has_children());
}

TEST(ControlPlane, AProgramThatNeverStopsTalkingIsEnded) {
  {
    ASSERT_TRUE(ControlPlane::start_program("/usr/bin/yes", {{}, 1}));
  }
  EXPECT_FALSE(has_children());
}

TEST(ControlPlane, AProgramThatEndsAtOnceIsUnavailable) {
  {
    auto gone = ControlPlane::start_program("/bin/true", {{}, 1});
    ASSERT_TRUE(gone) << gone.error().text();
    const auto answer = (*gone)->exchange(std::string(1'000'000, 'x'));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  }
  EXPECT_FALSE(has_children());
}

TEST(ControlPlane, WordsThatAreNoFrameAreRefused) {
  auto chatty = ControlPlane::start_program("/bin/echo", {{"not a frame"}, 1});
  ASSERT_TRUE(chatty) << chatty.error().text();
  const auto answer = (*chatty)->exchange("");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
}

TEST(ControlPlane, AProgramThatDoesNotExistIsNotFound) {
  const auto nothing = ControlPlane::start_program("/nonexistent/controlplane", {{}, 1});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace berth::tests
