// A server over loopback that fails in all the ways servers do: each gives one line.
#include "app/ping.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base64.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/find_config.h"
#include "kube/server_connection.h"
#include "kube/testing/fake_surroundings.h"
#include "net/byte_stream.h"
#include "net/connection_pool.h"
#include "net/dial.h"
#include "net/http.h"
#include "net/tcp.h"
#include "net/testing/answering_server.h"
#include "net/testing/certificates.h"
#include "net/tls.h"
#include "rt/programs.h"
#include "rt/real/process.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::app {
namespace {

using net::testing_support::AnsweringServer;
using net::testing_support::Reply;
using net::testing_support::self_signed;
using std::chrono::hours;
using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// Real programs with less patience.
class HastyPrograms final : public rt::Programs {
 public:
  explicit HastyPrograms(rt::RealRuntime& runtime) : programs_(runtime, milliseconds(50)) {}

  rt::Task<Result<rt::ProgramEnd>> run(rt::Program program, rt::Until until) override {
    program.time_max = std::min<rt::Duration>(program.time_max, time_max);
    return programs_.run(std::move(program), until);
  }

  rt::Duration time_max = hours(1);

 private:
  rt::RealPrograms programs_;
};

class PingTest : public testing::Test {
 protected:
  enum class Speaks { kTls, kClear, kNothing };

  PingTest() {
    auto opened = net::TcpListener::open(runtime_, {.host = "127.0.0.1", .port = 0});
    EXPECT_TRUE(opened);
    listener_ = *std::move(opened);
  }

  // A kubeconfig for the server, with more for its cluster and its user.
  void write_config(const std::string& user, const std::string& cluster = "") {
    surroundings_.variables["KUBECONFIG"] = "F";
    surroundings_.files["F"] = fmt::format(
        "current-context: me@it\n"
        "contexts: [{{name: me@it, context: {{cluster: it, user: me}}}}]\n"
        "clusters: [{{name: it, cluster: {{server: 'https://{}:{}'{}}}}}]\n"
        "users: [{{name: me, user: {{{}}}}}]\n",
        host_,
        listener_ ? listener_->port() : 1,
        cluster.empty() ? trust(server_) : cluster,
        user);
  }
  static std::string trust(const net::Identity& authority) {
    return ", certificate-authority-data: " + api::to_base64(authority.certificate_pem);
  }
  static std::string plugin(const std::string& script) {
    return "exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/sh, args: [-c, '" +
           script + "']}";
  }

  static rt::Task<void> serve(PingTest* test) {
    while (true) {
      auto stream = co_await test->listener_->accept({.token = test->scope_.token()});
      if (!stream) {
        co_return;
      }
      ++test->connections_;
      test->scope_.spawn("connection", serve_one(test, *std::move(stream)));
    }
  }

  static rt::Task<void> serve_one(PingTest* test, std::unique_ptr<net::ByteStream> stream) {
    if (test->speaks_ == Speaks::kNothing) {
      test->silent_.push_back(std::move(stream));
      co_return;
    }
    if (test->speaks_ == Speaks::kTls) {
      auto context = net::TlsContext::server({.identity = test->server_,
                                              .client_authorities_pem = test->client_authorities_,
                                              .protocols = {"h2"}});
      EXPECT_TRUE(context);
      auto secured = co_await net::secure(
          &test->runtime_, std::move(stream), *context, "", {.token = test->scope_.token()});
      if (!secured) {
        co_return;
      }
      stream = std::move(secured->stream);
    }
    AnsweringServer server(test->runtime_, std::move(stream), [test](const net::RequestHead& head) {
      test->requests_.push_back(head);
      return test->reply_(head);
    });
    co_await server.run(test->scope_.token());
  }

  static rt::Task<void> ask(PingTest* test,
                            kube::ServerConnection* server,
                            std::optional<Result<Pong>>* pong) {
    pong->emplace(co_await ask_version(server, {}));
    test->runtime_.stop();
  }

  // The answer, or the line that says what is wrong.
  std::string ping(const std::string& context = "") {
    auto config = kube::config::find_config({.context = context}, surroundings_);
    if (!config) {
      return config.error().text();
    }
    net::PoolOptions options;
    options.connect_max = connect_max_;
    kube::ServerConnection server(
        *std::move(config),
        {.runtime = runtime_,
         .programs = programs_,
         .surroundings = surroundings_,
         .dial =
             [this](net::Endpoint endpoint, std::optional<net::TlsSource> tls, std::string name) {
               return net::dial_server(
                   runtime_, std::move(endpoint), std::move(tls), std::move(name));
             }},
        options);
    std::optional<Result<Pong>> pong;
    rt::Scope asking(runtime_, "asking");
    scope_.spawn("server", serve(this));
    asking.spawn("ask", ask(this, &server, &pong));
    runtime_.run();
    if (!*pong) {
      return pong->error().text();
    }
    return fmt::format("{} as {}", (*pong)->version, (*pong)->context);
  }

  std::string url() const {
    return fmt::format("https://{}:{}", host_, listener_ ? listener_->port() : 1);
  }

  static Reply version() { return {.body = R"({"major":"1","gitVersion":"v1.36.3"})"}; }
  // As a server that knows one token.
  static Reply version_for(const net::RequestHead& head, const std::string& token) {
    if (net::find_header(head.headers, "authorization") == "Bearer " + token) {
      return version();
    }
    return {.status = 401,
            .body = R"({"kind":"Status","apiVersion":"v1","message":"Unauthorized","code":401})"};
  }

  Speaks speaks_ = Speaks::kTls;
  std::string host_ = "127.0.0.1";
  net::Identity server_ = self_signed("IP:127.0.0.1", hours(1));
  std::string client_authorities_;
  net::testing_support::Replies reply_ = [](const net::RequestHead&) { return version(); };
  rt::Duration connect_max_ = std::chrono::seconds(10);
  kube::testing_support::FakeSurroundings surroundings_;

  rt::RealRuntime runtime_{1};
  HastyPrograms programs_{runtime_};
  std::unique_ptr<net::TcpListener> listener_;
  int connections_ = 0;
  std::vector<net::RequestHead> requests_;
  std::vector<std::unique_ptr<net::ByteStream>> silent_;
  rt::Scope scope_{runtime_, "servers"};
};

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
  programs_.time_max = milliseconds(200);
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
