#include "kube/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/secret.h"
#include "kube/config/server_config.h"
#include "kube/config/server_url.h"
#include "kube/failure.h"
#include "net/failure.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

config::ServerConfig server() {
  return {.context = "me@prod",
          .cluster = "cluster 'prod' in F",
          .user = "user 'me' in F",
          .url = *config::parse_server_url("https://h:6443"),
          .server_name = "h",
          .authority = {.path = "/ca"},
          .token = Secret("t")};
}

std::string explained(ErrorCode code,
                      std::string_view reason,
                      const config::ServerConfig& config = server(),
                      const Circumstances& around = {}) {
  return explain(Error(code, "TEXT").with_reason(reason), config, around);
}

TEST(Explain, WhyThereIsNoConnection) {
  using enum ErrorCode;
  EXPECT_EQ(explained(kUnavailable, net::failure::kConnectionRefused),
            "https://h:6443 refuses connections: is the server running there? If it is elsewhere, "
            "correct cluster 'prod' in F");
  EXPECT_EQ(
      explained(kUnavailable, net::failure::kNameNotFound),
      "the name in https://h:6443 is not found: correct it in cluster 'prod' in F, or see why "
      "this machine's DNS does not know it");
  EXPECT_EQ(explained(kUnavailable, net::failure::kNoRoute),
            "there is no way to https://h:6443: see that the network is up, or correct cluster "
            "'prod' in F");
  EXPECT_EQ(explained(kUnavailable, net::failure::kNoTls),
            "what answers at https://h:6443 does not speak TLS: the port is another program's, or "
            "the server wants http; correct cluster 'prod' in F");
  EXPECT_EQ(explained(kTimeout, ""),
            "https://h:6443 does not answer in time (TEXT): see that the network and its firewalls "
            "let us there, or correct cluster 'prod' in F");
}

TEST(Explain, WhatIsWrongWithTheCertificateOfTheServer) {
  const auto code = ErrorCode::kUnauthorized;
  EXPECT_EQ(
      explained(code, net::failure::kUntrusted),
      "the certificate of https://h:6443 is not signed by the certificate-authority named for "
      "cluster 'prod' in F (TEXT): put the authority of that server there; if it is there, "
      "somebody else answers in its place");
  config::ServerConfig without = server();
  without.authority = {};
  EXPECT_EQ(
      explained(code, net::failure::kUntrusted, without),
      "the certificate of https://h:6443 is not signed by an authority this machine trusts, "
      "and no other is named for cluster 'prod' in F (TEXT): put the authority of that server "
      "there; if it is there, somebody else answers in its place");
  EXPECT_EQ(explained(code, net::failure::kExpired),
            "the certificate of https://h:6443 has expired: renew it on the server; if it is good, "
            "the clock of this machine is wrong");
  EXPECT_EQ(explained(code, net::failure::kNotYetValid),
            "the certificate of https://h:6443 is not valid yet: set the clock of this machine, or "
            "that of the server that made it");
  EXPECT_EQ(explained(code, net::failure::kWrongName),
            "the certificate of https://h:6443 is not for 'h': use a name that is in it, or set "
            "tls-server-name to one in cluster 'prod' in F");
}

TEST(Explain, WhyWeAreNotKnown) {
  const auto code = ErrorCode::kUnauthorized;
  EXPECT_EQ(explained(code, ""),
            "https://h:6443 does not know us (401, TEXT): the credentials of user 'me' in F are "
            "wrong or have expired; get new ones");
  config::ServerConfig nobody = server();
  nobody.token = Secret();
  EXPECT_EQ(explained(code, "", nobody),
            "https://h:6443 does not know us (401, TEXT): user 'me' in F has neither token, "
            "certificate nor exec plugin; add one");
  const Circumstances good{.now = rt::WallTime(std::chrono::seconds(1000)),
                           .certificate_end = std::chrono::sys_seconds(std::chrono::seconds(1001))};
  EXPECT_EQ(explained(ErrorCode::kUnavailable, net::failure::kIdentityRefused, server(), good),
            "https://h:6443 refuses the client certificate of user 'me' in F (TEXT): get one from "
            "an authority the server knows");
  EXPECT_EQ(explained(ErrorCode::kUnavailable, net::failure::kIdentityRefused),
            "https://h:6443 wants a client certificate, and user 'me' in F has none (TEXT): add "
            "client-certificate and client-key");
  const Circumstances late{.now = rt::WallTime(std::chrono::seconds(1001)),
                           .certificate_end = good.certificate_end};
  for (const std::string_view reason : {std::string_view(), net::failure::kIdentityRefused}) {
    EXPECT_EQ(explained(code, reason, server(), late),
              "the client certificate of user 'me' in F has expired on 1970-01-01T00:16:41Z: get a "
              "new one");
  }
}

TEST(Explain, WhatIsWrongWithTheAnswer) {
  EXPECT_EQ(explained(ErrorCode::kForbidden, ""),
            "https://h:6443 knows us and does not allow it (403, TEXT): have user 'me' in F bound "
            "to a role that does");
  EXPECT_EQ(explained(ErrorCode::kInvalid, failure::kNotKubernetes),
            "what answers at https://h:6443 is no API server but a proxy, a login page or another "
            "program (TEXT): correct host, port and path in cluster 'prod' in F");
  // Also where the page says 401 or 403.
  EXPECT_EQ(explained(ErrorCode::kUnauthorized, failure::kNotKubernetes),
            explained(ErrorCode::kInvalid, failure::kNotKubernetes));
  EXPECT_EQ(
      explained(ErrorCode::kUnavailable, failure::kAnswerCut),
      "https://h:6443 sent half an answer (TEXT): try again; if it stays so, look at the proxy "
      "or load balancer before the server");
  EXPECT_EQ(explained(ErrorCode::kServerError, ""), "https://h:6443: TEXT");
}

TEST(Explain, CredentialsThatAreMissingSpeakForThemselves) {
  EXPECT_EQ(explained(ErrorCode::kUnauthorized, failure::kNoCredentials), "TEXT");
}

}  // namespace
}  // namespace berth::kube
