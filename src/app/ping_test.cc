// A server over loopback that fails in all the ways servers do: each gives one line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "api/base64.h"
#include "app/testing/failing_server.h"
#include "net/http.h"
#include "net/testing/answering_server.h"
#include "net/testing/certificates.h"
#include "net/tls.h"

namespace berth::app {
namespace {

using net::testing_support::Reply;
using net::testing_support::self_signed;
using std::chrono::hours;
using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class PingTest : public testing::Test, protected testing_support::FailingServer {};

TEST_F(PingTest, TheVersionIsToldOverTlsWithAToken) {
  reply_ = [](const net::RequestHead& head) { return version_for(head, "secret"); };
  write_config("token: secret, as: jane");
  EXPECT_EQ(ping(), "v1.36.3 as me@it");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].path, "/version");
  EXPECT_EQ(net::find_header(requests_[0].headers, "impersonate-user"), "jane");
}

TEST_F(PingTest, TheVersionIsToldInTheClearOnThisMachine) {
  speaks_ = Speaks::kClear;
  surroundings_.variables["KUBECONFIG"] = "F";
  surroundings_.files["F"] = fmt::format(
      "current-context: a\ncontexts: [{{name: a, context: {{cluster: c}}}}]\n"
      "clusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:{}/base/'}}}}]\n",
      listener_->port());
  EXPECT_EQ(ping(), "v1.36.3 as a");
  EXPECT_EQ(requests_[0].path, "/base/version");
}

TEST_F(PingTest, ConnectionRefused) {
  const std::string where = url();
  write_config("token: t");
  listener_.reset();
  // Nobody serves any more.
  scope_.close();
  EXPECT_EQ(ping(),
            where +
                " refuses connections: is the server running there? If it is elsewhere, correct "
                "cluster 'it' in F");
}

TEST_F(PingTest, NameNotFound) {
  host_ = "no..name";  // refused without asking anybody
  write_config("token: t");
  EXPECT_EQ(ping(),
            "the name in " + url() +
                " is not found: correct it in cluster 'it' in F, or see why "
                "this machine's DNS does not know it");
}

TEST_F(PingTest, NoAnswerInTime) {
  speaks_ = Speaks::kNothing;
  connect_max_ = milliseconds(100);
  write_config("token: t");
  EXPECT_EQ(
      ping(),
      fmt::format("{} does not answer in time (connecting to 127.0.0.1:{}: timed out): see "
                  "that the network and its firewalls let us there, or correct cluster 'it' in "
                  "F",
                  url(),
                  listener_->port()));
}

TEST_F(PingTest, AnAuthorityThatIsNotTheServers) {
  write_config("token: t", trust(self_signed("IP:127.0.0.1", hours(1))));
  EXPECT_THAT(
      ping(),
      StartsWith("the certificate of " + url() +
                 " is not signed by the certificate-authority named for cluster 'it' in F"));
}

TEST_F(PingTest, WithoutAnAuthorityTheMachinesOwnCount) {
  write_config("token: t", " ");
  EXPECT_THAT(ping(), HasSubstr("not signed by an authority this machine trusts, and no other"));
  write_config("token: t", ", insecure-skip-tls-verify: true");
  EXPECT_EQ(ping(), "v1.36.3 as me@it");
}

TEST_F(PingTest, AnExpiredCertificateOfTheServer) {
  server_ = self_signed("IP:127.0.0.1", std::chrono::seconds(-10));
  write_config("token: t");
  EXPECT_EQ(ping(),
            "the certificate of " + url() +
                " has expired: renew it on the server; if it is good, "
                "the clock of this machine is wrong");
}

TEST_F(PingTest, ACertificateForAnotherName) {
  server_ = self_signed("DNS:api.example", hours(1));
  write_config("token: t");
  EXPECT_EQ(ping(),
            "the certificate of " + url() +
                " is not for '127.0.0.1': use a name that is in it, or "
                "set tls-server-name to one in cluster 'it' in F");
  write_config("token: t", trust(server_) + ", tls-server-name: api.example");
  EXPECT_EQ(ping(), "v1.36.3 as me@it");
}

TEST_F(PingTest, AnAuthorityThatIsNone) {
  write_config("token: t", ", certificate-authority-data: bm9uZQ==");
  EXPECT_EQ(ping(),
            "cluster 'it' in F, user 'me' in F: the certificate authority holds no certificate in "
            "PEM form");
  write_config("token: t", ", certificate-authority: ca.crt");
  EXPECT_EQ(ping(),
            "cluster 'it' in F: certificate-authority ca.crt: cannot be opened: No such file or "
            "directory");
}

std::string shown_as(const net::Identity& identity) {
  return fmt::format("client-certificate-data: {}, client-key-data: {}",
                     api::to_base64(identity.certificate_pem),
                     api::to_base64(identity.key_pem.reveal()));
}

TEST_F(PingTest, AClientCertificateIsShownAndTaken) {
  const net::Identity client = self_signed("DNS:me", hours(1));
  client_authorities_ = client.certificate_pem;
  write_config(shown_as(client));
  EXPECT_EQ(ping(), "v1.36.3 as me@it");
}

TEST_F(PingTest, AClientCertificateOfAnotherAuthority) {
  client_authorities_ = self_signed("DNS:me", hours(1)).certificate_pem;
  write_config(shown_as(self_signed("DNS:me", hours(1))));
  EXPECT_THAT(ping(), StartsWith(url() + " refuses the client certificate of user 'me' in F ("));
}

TEST_F(PingTest, AnExpiredClientCertificate) {
  const net::Identity client = self_signed("DNS:me", std::chrono::seconds(-10));
  client_authorities_ = client.certificate_pem;
  write_config(shown_as(client));
  EXPECT_THAT(ping(),
              MatchesRegex("the client certificate of user 'me' in F has expired on "
                           "[0-9]+-[0-9]+-[0-9]+T[0-9:]+Z: get a new one"));
}

TEST_F(PingTest, ABadToken) {
  reply_ = [](const net::RequestHead& head) { return version_for(head, "right"); };
  write_config("token: wrong");
  EXPECT_EQ(ping(),
            url() +
                " does not know us (401, Unauthorized): the credentials of user 'me' in F are "
                "wrong or have expired; get new ones");
  EXPECT_EQ(requests_.size(), 1U) << "there is nothing else to show";
}

TEST_F(PingTest, ATokenFileThatRotatesIsReadAgainAfterARefusal) {
  surroundings_.files["token"] = "one";
  reply_ = [this](const net::RequestHead& head) {
    surroundings_.files["token"] = "two";
    return version_for(head, "two");
  };
  write_config("tokenFile: token");
  EXPECT_EQ(ping(), "v1.36.3 as me@it");
  EXPECT_EQ(requests_.size(), 2U);
  EXPECT_EQ(connections_, 1);
}

TEST_F(PingTest, ACertificateThatRotatesIsShownOnANewConnectionAfterARefusal) {
  const net::Identity first = self_signed("DNS:me", hours(1));
  const net::Identity second = self_signed("DNS:me-again", hours(1));
  client_authorities_ = first.certificate_pem + second.certificate_pem;
  surroundings_.files["c"] = first.certificate_pem;
  surroundings_.files["k"] = first.key_pem.reveal();
  reply_ = [&](const net::RequestHead& /*head*/) {
    surroundings_.files["c"] = second.certificate_pem;
    surroundings_.files["k"] = second.key_pem.reveal();
    return connections_ == 1 ? Reply{.status = 401, .body = "{}"} : version();
  };
  write_config("client-certificate: c, client-key: k");
  EXPECT_EQ(ping(), "v1.36.3 as me@it");
  EXPECT_EQ(connections_, 2);
}

TEST_F(PingTest, NotAllowed) {
  reply_ = [](const net::RequestHead&) {
    return Reply{.status = 403,
                 .body = R"({"kind":"Status","apiVersion":"v1","message":"no","code":403})"};
  };
  write_config("token: t");
  EXPECT_EQ(ping(),
            url() +
                " knows us and does not allow it (403, no): have user 'me' in F bound to a role "
                "that does");
}

TEST_F(PingTest, APageInsteadOfAnAnswer) {
  for (const int status : {200, 403, 502}) {
    reply_ = [status](const net::RequestHead&) {
      return Reply{.status = status, .content_type = "text/html", .body = "<html>Log in</html>"};
    };
    write_config("token: t");
    const std::string line = ping();
    EXPECT_THAT(line,
                StartsWith("what answers at " + url() +
                           " is no API server but a proxy, a login page or another program ("));
    EXPECT_THAT(line, EndsWith("): correct host, port and path in cluster 'it' in F"));
  }
}

TEST_F(PingTest, AnAnswerThatIsSomethingElse) {
  for (const std::string body : {"{}", "[]", "", R"({"gitVersion":1})"}) {
    reply_ = [body](const net::RequestHead&) { return Reply{.body = body}; };
    write_config("token: t");
    EXPECT_THAT(ping(), StartsWith("what answers at " + url() + " is no API server")) << body;
  }
}

TEST_F(PingTest, AnAnswerThatIsCutInTheMiddle) {
  reply_ = [](const net::RequestHead&) {
    return Reply{.body = R"({"gitVersion":"v1.)", .is_cut = true};
  };
  write_config("token: t");
  EXPECT_THAT(ping(), StartsWith(url() + " sent half an answer (the answer was cut off: "));
}

TEST_F(PingTest, APluginSaysWhoWeAre) {
  reply_ = [](const net::RequestHead& head) { return version_for(head, "plugged"); };
  write_config(
      plugin(R"(printf "%s" "$KUBERNETES_EXEC_INFO" | grep -q ExecCredential &&)"
             R"( printf "{\"kind\":\"ExecCredential\",\"apiVersion\":)"
             R"(\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"plugged\"}}")"));
  EXPECT_EQ(ping(), "v1.36.3 as me@it");
}

TEST_F(PingTest, APluginThatFails) {
  write_config(plugin("echo please log in >&2; exit 7"));
  EXPECT_EQ(
      ping(),
      "exec plugin '/bin/sh' of user 'me' in F: failed with exit code 7: please log in; run it "
      "by hand to see more");
  EXPECT_EQ(connections_, 0);
}

TEST_F(PingTest, APluginThatHangs) {
  programs_.time_max = std::chrono::seconds(1);  // the shell has to come to its first command
  write_config(plugin("echo opening a browser >&2; sleep 1000"));
  EXPECT_EQ(ping(),
            "exec plugin '/bin/sh' of user 'me' in F: did not end within 60 s: opening a browser; "
            "run it by hand: perhaps it waits for a login, or for a network that is not there");
}

TEST_F(PingTest, APluginThatIsMissing) {
  write_config(
      "exec: {apiVersion: client.authentication.k8s.io/v1, command: berth-no-such-plugin, "
      "installHint: get it}");
  EXPECT_EQ(ping(),
            "exec plugin 'berth-no-such-plugin' of user 'me' in F: there is no program "
            "'berth-no-such-plugin'; get it");
}

}  // namespace
}  // namespace berth::app
