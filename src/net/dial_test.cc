// Everything together, on the real runtime and loopback: a pool of connections and a server.
#include "net/dial.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/connection.h"
#include "net/connection_pool.h"
#include "net/http.h"
#include "net/http_server.h"
#include "net/tcp.h"
#include "net/testing/certificates.h"
#include "net/testing/test_handler.h"
#include "net/tls.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

using testing_support::self_signed;

class DialTest : public testing::Test {
 public:
  rt::Until soon() { return {.deadline = runtime.now() + std::chrono::seconds(20)}; }

  // A server on a port of its own.
  void serve(HttpServerOptions options) {
    auto listener = TcpListener::open(runtime, {.host = "127.0.0.1"});
    ASSERT_TRUE(listener) << listener.error().text();
    port = (*listener)->port();
    server = std::make_unique<HttpServer>(runtime, handler, std::move(options));
    server->listen(*std::move(listener));
  }

  TlsSource server_side(std::vector<std::string> protocols) {
    return [this, protocols] {
      return TlsContext::server({.identity = server_identity,
                                 .client_authorities_pem = known_client,
                                 .protocols = protocols});
    };
  }

  TlsSource client_side() {
    return [this] {
      TlsClientOptions options;
      options.authorities_pem = server_identity.certificate_pem;
      options.protocols = {"h2", "http/1.1"};
      if (client_identity) {
        options.identity = std::make_unique<Identity>(*client_identity);
      }
      return TlsContext::client(options);
    };
  }

  ConnectionPool& make_pool(std::optional<TlsSource> tls, Protocol clear = Protocol::kHttp2) {
    pool = std::make_unique<ConnectionPool>(
        runtime,
        dial_server(
            runtime, {.host = "127.0.0.1", .port = port}, std::move(tls), "127.0.0.1", clear),
        PoolOptions{});
    return *pool;
  }

  rt::Task<void> exchange(std::string body, Result<std::string>* answer) {
    RequestHead head{.method = "POST", .scheme = "https", .authority = "there", .path = "/echo"};
    auto sent = co_await pool->send(std::move(head), std::move(body), soon());
    if (!sent) {
      *answer = std::move(sent).error();
      runtime.stop();
      co_return;
    }
    auto response = co_await (*sent)->head(soon());
    *answer = response ? Result<std::string>("") : Result<std::string>(response.error());
    while (*answer) {
      auto piece = co_await (*sent)->next(soon());
      if (!piece) {
        *answer = std::move(piece).error();
      } else if (*piece) {
        **answer += **piece;
      } else {
        break;
      }
    }
    runtime.stop();
  }

  Result<std::string> ask(std::string body) {
    Result<std::string> answer = Error(ErrorCode::kInternal, "nothing yet");
    scope.spawn("caller", exchange(std::move(body), &answer));
    runtime.run();
    return answer;
  }

  rt::Task<void> stop_server() {
    co_await server->stop(soon().deadline);
    runtime.stop();
  }

  rt::RealRuntime runtime{1};
  testing_support::TestHandler handler{runtime};
  Identity server_identity = self_signed("IP:127.0.0.1");
  std::string known_client;
  std::optional<Identity> client_identity;
  std::uint16_t port = 0;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<ConnectionPool> pool;
  rt::Scope scope{runtime, "test"};
};

TEST_F(DialTest, WithTlsBothAgreeOnAVersion) {
  for (const std::string protocol : {"h2", "http/1.1"}) {
    serve({.tls = server_side({protocol})});
    make_pool(client_side());
    for (int i = 0; i < 3; ++i) {
      const auto answer = ask("hello over " + protocol);
      ASSERT_TRUE(answer) << answer.error().text();
      EXPECT_EQ(*answer, "hello over " + protocol);
    }
    EXPECT_EQ(server->counters().connections, 1U);
    EXPECT_EQ(handler.last.scheme, "https");
  }
}

TEST_F(DialTest, InTheClearTheCallerChooses) {
  serve({});
  for (const Protocol protocol : {Protocol::kHttp1, Protocol::kHttp2}) {
    make_pool(std::nullopt, protocol);
    const auto answer = ask(std::string(500'000, 'x'));
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(answer->size(), 500'000U);
  }
}

// The server knows one client, then another one: what was renewed in time goes on.
TEST_F(DialTest, AChangedCertificateOfTheClientIsShownToTheServer) {
  const Identity first = self_signed("DNS:client");
  const Identity second = self_signed("DNS:client");
  client_identity = first;
  known_client = first.certificate_pem;
  serve({.tls = server_side({"h2"})});
  make_pool(client_side());
  ASSERT_TRUE(ask("first"));

  known_client = second.certificate_pem;
  EXPECT_TRUE(ask("the connection that is open goes on"));
  pool->renew();
  EXPECT_FALSE(ask("nobody knows the first any more"));
  client_identity = second;
  const auto answer = ask("second");
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(*answer, "second");
}

TEST_F(DialTest, AServerThatHasStoppedListensNoMore) {
  serve({});
  make_pool(std::nullopt);
  ASSERT_TRUE(ask("before"));
  scope.spawn("stop", stop_server());
  runtime.run();
  EXPECT_EQ(server->connections(), 0U);
  const auto answer = ask("after");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace berth::net
