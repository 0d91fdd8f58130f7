#include "kube/config/file_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/config/server_config.h"
#include "kube/failure.h"
#include "kube/http/credentials.h"
#include "kube/testing/fake_surroundings.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"

namespace berth::kube::config {
namespace {

using std::chrono::seconds;

class FileCredentialsTest : public testing::Test {
 protected:
  static rt::Task<void> ask(http::Credentials* credentials,
                            std::optional<Result<http::Credential>>* answer) {
    answer->emplace(co_await credentials->current({}));
  }

  Result<http::Credential> current(http::Credentials& credentials) {
    std::optional<Result<http::Credential>> answer;
    scope_.spawn("ask", ask(&credentials, &answer));
    simulation_.run_for(seconds(0));
    return answer ? *std::move(answer) : Error(ErrorCode::kInternal, "waits");
  }

  // The token that is shown, or the error.
  std::string token(http::Credentials& credentials) {
    const auto answer = current(credentials);
    if (!answer) {
      return answer.error().text();
    }
    return answer->token ? answer->token->reveal() : "none";
  }

  std::uint64_t number(http::Credentials& credentials) { return current(credentials)->number; }

  rt::Simulation simulation_{1};
  rt::Scope scope_{simulation_, "test"};
  testing_support::FakeSurroundings surroundings_;
};

TEST_F(FileCredentialsTest, ATokenInTheFileIsShownAndCannotBeRenewed) {
  FileCredentials credentials({.token = Secret("t")}, simulation_, surroundings_);
  EXPECT_EQ(token(credentials), "t");
  EXPECT_FALSE(credentials.renew(number(credentials)));
}

TEST_F(FileCredentialsTest, NobodyShowsNothing) {
  FileCredentials credentials({}, simulation_, surroundings_);
  EXPECT_EQ(token(credentials), "none");
  EXPECT_FALSE(credentials.renew(number(credentials)));
  EXPECT_EQ(*credentials.identity(), nullptr);
}

TEST_F(FileCredentialsTest, ATokenFileIsReadAgainAfterAMinute) {
  surroundings_.files["/t"] = "one\n";
  FileCredentials credentials({.token_file = "/t"}, simulation_, surroundings_);
  EXPECT_EQ(token(credentials), "one");
  surroundings_.files["/t"] = "two\n";
  simulation_.run_for(seconds(59));
  EXPECT_EQ(token(credentials), "one");
  EXPECT_EQ(surroundings_.reads, 1);
  simulation_.run_for(seconds(1));
  EXPECT_EQ(token(credentials), "two");
}

TEST_F(FileCredentialsTest, ATokenFileIsReadAgainWhenTheServerDoesNotKnowUs) {
  surroundings_.files["/t"] = "one";
  FileCredentials credentials({.token_file = "/t"}, simulation_, surroundings_);
  const std::uint64_t first = number(credentials);
  EXPECT_FALSE(credentials.renew(first)) << "there is no other yet";
  surroundings_.files["/t"] = "two";
  EXPECT_TRUE(credentials.renew(first));
  EXPECT_EQ(token(credentials), "two");
  // Another request that was refused with the first.
  const int reads = surroundings_.reads;
  EXPECT_TRUE(credentials.renew(first));
  EXPECT_EQ(surroundings_.reads, reads);
}

TEST_F(FileCredentialsTest, AFileThatGoesLeavesTheLastToken) {
  FileCredentials credentials(
      {.user = "user 'u' in F", .token_file = "/t"}, simulation_, surroundings_);
  const auto missing = current(credentials);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(missing.error().reason(), failure::kNoCredentials);
  EXPECT_EQ(missing.error().text(),
            "user 'u' in F: tokenFile /t: cannot be opened: No such file or directory");
  surroundings_.files["/t"] = " \n";
  EXPECT_EQ(token(credentials), "user 'u' in F: tokenFile /t: is empty");
  surroundings_.files["/t"] = "a b";
  EXPECT_THAT(token(credentials), testing::HasSubstr("characters that no token has"));
  surroundings_.files["/t"] = "one";
  EXPECT_EQ(token(credentials), "one");
  surroundings_.files.clear();
  simulation_.run_for(seconds(100));
  EXPECT_EQ(token(credentials), "one");
}

TEST_F(FileCredentialsTest, ATokenBesideItsFileServesUntilTheFileIsThere) {
  FileCredentials credentials(
      {.token = Secret("old"), .token_file = "/t"}, simulation_, surroundings_);
  EXPECT_EQ(token(credentials), "old");
  surroundings_.files["/t"] = "new";
  EXPECT_EQ(token(credentials), "new");
}

TEST_F(FileCredentialsTest, ACertificateThatWasReplacedIsShownOnNewConnections) {
  surroundings_.files["/c"] = "one";
  surroundings_.files["/k"] = "key";
  FileCredentials credentials(
      {.certificate = {.path = "/c"}, .key = {.path = "/k"}}, simulation_, surroundings_);
  int told = 0;
  credentials.on_new_identity([&] { ++told; });
  EXPECT_EQ((*credentials.identity())->certificate_pem, "one");
  const std::uint64_t first = number(credentials);
  EXPECT_FALSE(credentials.renew(first));
  surroundings_.files["/c"] = "two";
  EXPECT_TRUE(credentials.renew(first));
  EXPECT_TRUE(credentials.renew(first));
  EXPECT_EQ(told, 1);
  EXPECT_EQ((*credentials.identity())->certificate_pem, "two");
}

TEST_F(FileCredentialsTest, DataWinsOverAFileAndAMissingFileIsNamed) {
  FileCredentials credentials({.user = "user 'u' in F",
                               .certificate = {.path = "/c", .data = Secret("pem")},
                               .key = {.path = "/k"}},
                              simulation_,
                              surroundings_);
  const auto identity = credentials.identity();
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().text(),
            "user 'u' in F: client-key /k: cannot be opened: No such file or directory");
  surroundings_.files["/k"] = "key";
  EXPECT_EQ((*credentials.identity())->certificate_pem, "pem");
}

}  // namespace
}  // namespace berth::kube::config
