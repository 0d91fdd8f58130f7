#include "kube/config/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "api/time.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/config/server_url.h"
#include "kube/failure.h"
#include "rt/programs.h"

namespace berth::kube::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using How = rt::ProgramEnd::How;

const ExecPlugin kPlugin{.api_version = "client.authentication.k8s.io/v1", .command = "login"};

// The error of an output with this status.
std::string error_of(const std::string& status) {
  const auto credential = read_exec_credential(
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
          status + "}",
      kPlugin);
  return credential ? "read" : credential.error().text();
}

TEST(ExecCredential, HoldsATokenACertificateOrBothAndWhenItExpires) {
  const auto credential = read_exec_credential(
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{},
          "status":{"token":"t","clientCertificateData":"cert","clientKeyData":"key",
                    "expirationTimestamp":"2030-01-02T03:04:05Z"}})",
      kPlugin);
  ASSERT_TRUE(credential) << credential.error().text();
  EXPECT_EQ(credential->token->reveal(), "t");
  EXPECT_EQ(credential->identity->certificate_pem, "cert");
  EXPECT_EQ(credential->identity->key_pem.reveal(), "key");
  EXPECT_EQ(api::to_text(*credential->expires), "2030-01-02T03:04:05.000000Z");
  EXPECT_EQ(error_of(R"({"token":"t"})"), "read");
}

TEST(ExecCredential, WhatIsNoneIsRefusedWithoutBeingShown) {
  EXPECT_THAT(error_of("null"), HasSubstr("has no status"));
  EXPECT_THAT(error_of("{}"), HasSubstr("neither a token nor a certificate"));
  EXPECT_THAT(error_of(R"({"token":"t","clientKeyData":"k"})"), HasSubstr("not both"));
  EXPECT_THAT(error_of(R"({"token":"se cret"})"), HasSubstr("characters no token has"));
  EXPECT_THAT(error_of(R"({"token":"secret","expirationTimestamp":"soon"})"),
              HasSubstr("its output is no ExecCredential of client.authentication.k8s.io/v1: "));
  for (
      const std::string_view output :
      {"",
       "secret",
       "{\"secret\"",
       "[\"secret\"]",
       R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"secret"}})",
       R"({"kind":"Secret"})"}) {
    const auto credential = read_exec_credential(output, kPlugin);
    ASSERT_FALSE(credential) << output;
    EXPECT_EQ(credential.error().reason(), failure::kNoCredentials);
    EXPECT_THAT(credential.error().text(), HasSubstr("no ExecCredential"));
    EXPECT_THAT(credential.error().text(), Not(HasSubstr("secret")));
  }
}

TEST(ExecCredential, ThePluginIsToldWhatItNeedsToKnow) {
  ExecPlugin plugin = kPlugin;
  plugin.arguments = {"-v"};
  plugin.environment = {{"A", "b"}};
  ServerConfig config{.url = *parse_server_url("https://h"), .server_name = "h"};
  rt::Program program = exec_program(plugin, config, "CA");
  EXPECT_EQ(program.path, "login");
  EXPECT_THAT(program.arguments, ElementsAre("-v"));
  EXPECT_THAT(
      program.environment,
      ElementsAre(Pair("A", "b"),
                  Pair("KUBERNETES_EXEC_INFO",
                       R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
                       R"("spec":{"interactive":false}})")));

  plugin.wants_cluster_info = true;
  config.server_name = "api";
  config.is_insecure = true;
  config.exec_config = R"({"audience":"x"})";
  program = exec_program(plugin, config, "CA");
  EXPECT_EQ(program.environment.back().second,
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"cluster":{"server":"https://h:443","tls-server-name":"api",)"
            R"("insecure-skip-tls-verify":true,"certificate-authority-data":"Q0E=",)"
            R"("config":{"audience":"x"}},"interactive":false}})");
}

std::string end_error(rt::ProgramEnd end) {
  return take_exec_credential(std::move(end), kPlugin).error().text();
}

TEST(ExecCredential, HowAPluginEndedIsTold) {
  EXPECT_EQ(end_error({.code = 1, .errors = "Usage: ...\nYou must log in first. \n\n"}),
            "failed with exit code 1: You must log in first.; run it by hand to see more");
  EXPECT_EQ(end_error({.code = 2}), "failed with exit code 2; run it by hand to see more");
  EXPECT_EQ(end_error({.how = How::kSignalled, .code = 11}),
            "was ended by signal 11; run it by hand to see more");
  EXPECT_EQ(end_error({.how = How::kTooLate, .errors = "Open your browser"}),
            "did not end within 60 s: Open your browser; run it by hand: perhaps it waits for a "
            "login, or for a network that is not there");
  EXPECT_EQ(end_error({.how = How::kTooMuch}), "wrote more than 1024 KiB, which is no credential");
}

TEST(ExecCredential, AMissingPluginComesWithItsHint) {
  const Error missing(ErrorCode::kNotFound, "there is no program 'login'");
  EXPECT_EQ(take_exec_credential(missing, kPlugin).error().text(),
            "there is no program 'login'; install it, or correct 'command'");
  ExecPlugin plugin = kPlugin;
  plugin.install_hint = "\nlogin is needed.\nGet it: \x1b[1mpkg install login\n";
  EXPECT_EQ(take_exec_credential(missing, plugin).error().text(),
            R"(there is no program 'login'; login is needed. Get it: \x1b[1mpkg install login)");
  EXPECT_EQ(take_exec_credential(Error(ErrorCode::kCancelled, "cancelled"), kPlugin).error().code(),
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace berth::kube::config
