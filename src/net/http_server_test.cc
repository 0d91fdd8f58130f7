#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/connection.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/http1_connection.h"
#include "net/http2_connection.h"
#include "net/memory_stream.h"
#include "net/testing/certificates.h"
#include "net/testing/raw_peer.h"
#include "net/testing/test_handler.h"
#include "net/tls.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::net {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

// The same whichever version is spoken.
class HttpServerTest : public testing::TestWithParam<Protocol> {
 public:
  struct Answer {
    int status = 0;
    Headers headers;
    std::string body;
  };

  std::unique_ptr<ByteStream> dial() {
    auto [ours, theirs] = make_stream_pair(simulation);
    server->serve(std::move(theirs));
    return std::move(ours);
  }

  std::shared_ptr<Connection> connect(std::unique_ptr<ByteStream> stream) {
    if (GetParam() == Protocol::kHttp2) {
      return Http2Connection::start(simulation, std::move(stream), {});
    }
    return Http1Connection::start(simulation, std::move(stream), {});
  }

  void restart(const ServerLimits& limits) {
    server = std::make_unique<HttpServer>(simulation, handler, HttpServerOptions{.limits = limits});
    connection = connect(dial());
  }

  static rt::Task<void> read_all(Exchange* exchange, Result<Answer>* answer) {
    auto head = co_await exchange->head({});
    if (!head) {
      *answer = std::move(head).error();
      co_return;
    }
    Answer got{.status = head->status, .headers = std::move(head->headers)};
    while (true) {
      auto piece = co_await exchange->next({});
      if (!piece) {
        *answer = std::move(piece).error();
        co_return;
      }
      if (!*piece) {
        break;
      }
      got.body += **piece;
    }
    *answer = std::move(got);
  }

  std::unique_ptr<Exchange> send(std::string path, std::string body = "") {
    auto exchange = connection->send(
        {.method = "POST", .scheme = "http", .authority = "there", .path = std::move(path)},
        std::move(body));
    EXPECT_TRUE(exchange) << exchange.error().text();
    return exchange ? *std::move(exchange) : nullptr;
  }

  Result<Answer> answer_of(Exchange& exchange) {
    Result<Answer> answer = Error(ErrorCode::kInternal, "nothing yet");
    scope.spawn("caller", read_all(&exchange, &answer));
    simulation.run_for(seconds(1));
    return answer;
  }

  Result<Answer> ask(std::string path, std::string body = "") {
    const auto exchange = send(std::move(path), std::move(body));
    return answer_of(*exchange);
  }

  static rt::Task<void> stop_server(HttpServer* server, rt::Time deadline, bool* is_done) {
    co_await server->stop(deadline);
    *is_done = true;
  }

  rt::Simulation simulation{1};
  testing_support::TestHandler handler{simulation};
  rt::Scope scope{simulation, "test"};
  std::unique_ptr<HttpServer> server =
      std::make_unique<HttpServer>(simulation, handler, HttpServerOptions{});
  std::shared_ptr<Connection> connection = connect(dial());
};

TEST_P(HttpServerTest, AnswersManyRequestsOnOneConnection) {
  for (int i = 0; i < 3; ++i) {
    const auto answer = ask("/echo", "hello " + std::to_string(i));
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "hello " + std::to_string(i));
    EXPECT_EQ(find_header(answer->headers, "content-length"), "7");
    EXPECT_EQ(find_header(answer->headers, "content-type"), "text/plain");
  }
  EXPECT_EQ(handler.last.method, "POST");
  EXPECT_EQ(handler.last.authority, "there");
  EXPECT_EQ(server->counters().connections, 1U);
  EXPECT_EQ(server->counters().requests, 3U);
}

TEST_P(HttpServerTest, CarriesBodiesUpToTheirLimit) {
  const std::string body(3UL << 20U, 'x');
  const auto answer = ask("/echo", body);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->body.size(), body.size());
  const auto refused = ask("/echo", body + "x");
  ASSERT_TRUE(refused) << refused.error().text();
  EXPECT_EQ(refused->status, 413);
  EXPECT_EQ(refused->body, "the body is larger than 3145728 bytes\n");
  EXPECT_EQ(handler.asked, 1);
  EXPECT_EQ(server->counters().requests_refused, 1U);
}

TEST_P(HttpServerTest, AllBodiesTogetherAreBounded) {
  restart({.unanswered_max = 100'000});
  const auto refused = ask("/echo", std::string(200'000, 'x'));
  ASSERT_TRUE(refused) << refused.error().text();
  EXPECT_EQ(refused->status, 503);
  connection = connect(dial());
  // What was refused takes no room.
  for (int i = 0; i < 3; ++i) {
    const auto answer = ask("/echo", std::string(90'000, 'x'));
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(answer->status, 200);
  }
}

TEST_P(HttpServerTest, TheirHeadsCountToo) {
  restart({.unanswered_max = 100'000});
  const auto ask_with_head = [this](std::size_t size) {
    auto exchange = connection->send({.method = "POST",
                                      .scheme = "http",
                                      .authority = "there",
                                      .path = "/never",
                                      .headers = {{"x", std::string(size, 'x')}}},
                                     "");
    EXPECT_TRUE(exchange);
    simulation.run_for(seconds(1));
    return *std::move(exchange);
  };
  auto first = ask_with_head(40'000);
  const auto first_connection = std::exchange(connection, connect(dial()));
  auto second = ask_with_head(40'000);
  const auto second_connection = std::exchange(connection, connect(dial()));
  EXPECT_EQ(handler.asked, 2);
  auto third = ask_with_head(40'000);
  const auto refused = answer_of(*third);
  ASSERT_TRUE(refused) << refused.error().text();
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(handler.asked, 2);
  // Who goes makes room.
  first.reset();
  simulation.run_for(seconds(1));
  connection = connect(dial());
  third = ask_with_head(40'000);
  EXPECT_EQ(handler.asked, 3);
}

TEST_P(HttpServerTest, AnErrorOfTheHandlerBecomesA500) {
  const auto answer = ask("/fail");
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body, "internal error\n");  // nothing of what is inside
  EXPECT_EQ(server->counters().requests_failed, 1U);
  EXPECT_TRUE(ask("/echo"));
}

TEST_P(HttpServerTest, AnAnswerThatIsBrokenOffLooksBroken) {
  const auto answer = ask("/half");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
}

TEST_P(HttpServerTest, HeadIsAnsweredWithoutABody) {
  auto exchange = connection->send(
      {.method = "HEAD", .scheme = "http", .authority = "there", .path = "/large"}, "");
  ASSERT_TRUE(exchange);
  const auto answer = answer_of(**exchange);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->body, "");
  EXPECT_EQ(find_header(answer->headers, "content-length"), "10000000");
  EXPECT_TRUE(ask("/echo"));
}

TEST_P(HttpServerTest, WhoeverWritesWaitsForWhoReads) {
  const auto exchange = send("/stream");
  simulation.run_for(seconds(10));
  // What is unsent, what is under way and what the client holds unread.
  EXPECT_LT(handler.pieces, 200U);
  const std::size_t before = handler.pieces;
  struct Reader {
    static rt::Task<void> run(Exchange* from, std::size_t bytes) {
      static_cast<void>(co_await from->head({}));
      while (bytes > 0) {
        const auto piece = co_await from->next({});
        if (!piece || !*piece) {
          co_return;
        }
        bytes -= std::min(bytes, (*piece)->size());
      }
    }
  };
  scope.spawn("reader", Reader::run(exchange.get(), 5'000'000));
  simulation.run_for(seconds(10));
  EXPECT_GT(handler.pieces, before + 300);
  EXPECT_EQ(server->counters().cut_stalled, 0U);
}

TEST_P(HttpServerTest, AHandlerIsToldWhenNobodyWaitsAnyMore) {
  auto exchange = send("/never");
  simulation.run_for(seconds(1));
  EXPECT_EQ(handler.gone, 0);
  exchange.reset();
  simulation.run_for(seconds(1));
  EXPECT_EQ(handler.gone, 1);
}

TEST_P(HttpServerTest, AWriterIsToldWhenNobodyWaitsAnyMore) {
  auto exchange = send("/stream");
  simulation.run_for(seconds(1));
  exchange.reset();
  simulation.run_for(seconds(1));
  EXPECT_EQ(handler.gone, 1);
}

TEST_P(HttpServerTest, ItsLimitHoldsForABurstOfConnectionsToo) {
  restart({.connections_max = 2});
  const testing_support::RawPeer second(simulation, dial());
  const testing_support::RawPeer third(simulation, dial());
  const testing_support::RawPeer fourth(simulation, dial());
  simulation.run_for(seconds(1));
  EXPECT_EQ(server->counters().connections_refused, 2U);
  EXPECT_EQ(server->connections(), 2U);
  EXPECT_FALSE(second.is_cut_off());
  EXPECT_TRUE(fourth.is_cut_off());
}

TEST_P(HttpServerTest, BeyondItsLimitConnectionsAreClosedAtOnce) {
  restart({.connections_max = 2});
  ASSERT_TRUE(ask("/echo"));
  const auto first = std::exchange(connection, connect(dial()));
  ASSERT_TRUE(ask("/echo"));
  const testing_support::RawPeer third(simulation, dial());
  simulation.run_for(seconds(1));
  EXPECT_TRUE(third.is_cut_off());
  EXPECT_EQ(server->counters().connections_refused, 1U);
  EXPECT_EQ(server->connections(), 2U);
}

TEST_P(HttpServerTest, AnIdleConnectionIsClosed) {
  restart({.idle_max = seconds(20)});
  ASSERT_TRUE(ask("/echo"));
  simulation.run_for(seconds(10));
  EXPECT_EQ(server->connections(), 1U);
  simulation.run_for(seconds(15));
  EXPECT_EQ(server->connections(), 0U);
  EXPECT_TRUE(connection->is_closing());
}

TEST_P(HttpServerTest, AnAnswerMayTakeAsLongAsItLikes) {
  const auto exchange = send("/never");
  simulation.run_for(std::chrono::hours(1));
  EXPECT_EQ(server->connections(), 1U);
  EXPECT_EQ(handler.gone, 0);
}

TEST_P(HttpServerTest, StoppedItEndsWhatIsUnderWayAndTakesNoMore) {
  ASSERT_TRUE(ask("/echo"));
  const auto exchange = send("/stream");
  simulation.run_for(seconds(1));
  bool is_stopped = false;
  scope.spawn("stop", stop_server(server.get(), simulation.now() + seconds(30), &is_stopped));
  const auto answer = answer_of(*exchange);  // the handler hears of it and comes to an end
  ASSERT_TRUE(answer) << answer.error().text();
  simulation.run_for(seconds(5));
  EXPECT_TRUE(is_stopped);
  EXPECT_EQ(server->connections(), 0U);
  EXPECT_TRUE(connection->is_closing());
  const testing_support::RawPeer late(simulation, dial());
  simulation.run_for(seconds(1));
  EXPECT_TRUE(late.is_cut_off());
}

TEST_P(HttpServerTest, WhatDoesNotEndInTimeIsCutOff) {
  const auto exchange = send("/never");
  simulation.run_for(seconds(1));
  bool is_stopped = false;
  scope.spawn("stop", stop_server(server.get(), simulation.now() + seconds(30), &is_stopped));
  simulation.run_for(seconds(25));
  EXPECT_FALSE(is_stopped);
  EXPECT_EQ(handler.gone, 0);
  simulation.run_for(seconds(10));
  EXPECT_TRUE(is_stopped);
  EXPECT_EQ(handler.gone, 1);
  EXPECT_FALSE(answer_of(*exchange));
}

TEST_P(HttpServerTest, AnIdleServerStopsAtOnce) {
  ASSERT_TRUE(ask("/echo"));
  const testing_support::RawPeer in_handshake(simulation, dial());
  simulation.run_for(seconds(1));
  bool is_stopped = false;
  scope.spawn("stop", stop_server(server.get(), simulation.now() + seconds(30), &is_stopped));
  simulation.run_for(seconds(2));
  EXPECT_TRUE(is_stopped);
}

// At whatever point the server goes, nobody waits for it for ever and nothing of it is used again.
TEST_P(HttpServerTest, ItMayBeDestroyedAtAnyTime) {
  for (int steps = 0; steps < 300; ++steps) {
    rt::Simulation other(static_cast<std::uint64_t>(steps));
    testing_support::TestHandler busy(other);
    auto dying = std::make_unique<HttpServer>(other, busy, HttpServerOptions{});
    auto [ours, theirs] = make_stream_pair(other);
    dying->serve(std::move(theirs));
    std::shared_ptr<Connection> client;
    if (GetParam() == Protocol::kHttp2) {
      client = Http2Connection::start(other, std::move(ours), {});
    } else {
      client = Http1Connection::start(other, std::move(ours), {});
    }
    const auto exchange = client->send(
        {.method = "GET", .scheme = "http", .authority = "there", .path = "/never"}, "");
    for (int i = 0; i < steps; ++i) {
      other.step();
    }
    dying.reset();
    other.run_for(seconds(1));
    EXPECT_TRUE(client->is_closing()) << steps;
  }
}

INSTANTIATE_TEST_SUITE_P(Either,
                         HttpServerTest,
                         testing::Values(Protocol::kHttp1, Protocol::kHttp2),
                         [](const auto& row) {
                           return row.param == Protocol::kHttp1 ? "Http1" : "Http2";
                         });

class TlsServerTest : public testing::Test {
 public:
  static rt::Task<void> shake(rt::Simulation* simulation,
                              std::unique_ptr<ByteStream> stream,
                              TlsContext context,
                              std::optional<Result<SecureStream>>* secured) {
    secured->emplace(co_await secure(simulation, std::move(stream), context, "localhost", {}));
  }

  // The protocol agreed on, and whose certificate was shown.
  std::optional<Result<SecureStream>> connect(const Identity& trusted,
                                              std::vector<std::string> protocols) {
    TlsClientOptions options;
    options.authorities_pem = trusted.certificate_pem;
    options.protocols = std::move(protocols);
    auto context = TlsContext::client(options);
    auto [ours, theirs] = make_stream_pair(simulation);
    server.serve(std::move(theirs));
    std::optional<Result<SecureStream>> secured;
    if (context) {
      scope.spawn("client", shake(&simulation, std::move(ours), *context, &secured));
      simulation.run_for(seconds(1));
    }
    return secured;
  }

  rt::Simulation simulation{1};
  testing_support::TestHandler handler{simulation};
  Identity identity = testing_support::self_signed("DNS:localhost");
  HttpServer server{
      simulation, handler, {.tls = [this] {
        return TlsContext::server({.identity = identity, .protocols = {"h2", "http/1.1"}});
      }}};
  rt::Scope scope{simulation, "test"};
};

TEST_F(TlsServerTest, BothAgreeOnAProtocol) {
  for (const auto& [offered, agreed] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"h2", "http/1.1"}, "h2"}, {{"http/1.1"}, "http/1.1"}, {{}, ""}}) {
    auto secured = connect(identity, offered);
    ASSERT_TRUE(secured && *secured) << secured->error().text();
    EXPECT_EQ((*secured)->protocol, agreed);
    std::shared_ptr<Connection> connection;
    if (agreed == "h2") {
      connection = Http2Connection::start(simulation, std::move((*secured)->stream), {});
    } else {
      connection = Http1Connection::start(simulation, std::move((*secured)->stream), {});
    }
    auto exchange = connection->send(
        {.method = "PUT", .scheme = "https", .authority = "localhost", .path = "/echo"}, "hi");
    ASSERT_TRUE(exchange);
    Result<HttpServerTest::Answer> answer = Error(ErrorCode::kInternal, "nothing yet");
    scope.spawn("caller", HttpServerTest::read_all(exchange->get(), &answer));
    simulation.run_for(seconds(1));
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(answer->body, "hi");
    EXPECT_EQ(handler.last.scheme, "https");
  }
}

TEST_F(TlsServerTest, AChangedCertificateIsShownToNewConnections) {
  ASSERT_TRUE(*connect(identity, {"h2"}));
  const Identity before = std::exchange(identity, testing_support::self_signed("DNS:localhost"));
  EXPECT_FALSE(*connect(before, {"h2"}));
  EXPECT_TRUE(*connect(identity, {"h2"}));
}

TEST_F(TlsServerTest, GarbageInPlaceOfTlsIsCutOff) {
  auto [ours, theirs] = make_stream_pair(simulation);
  server.serve(std::move(theirs));
  testing_support::RawPeer peer(simulation, std::move(ours));
  peer.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  simulation.run_for(seconds(1));
  EXPECT_TRUE(peer.is_cut_off());
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(server.counters().handshakes_failed, 1U);
}

TEST_F(TlsServerTest, AHandshakeThatDoesNotEndIsCutOff) {
  auto [ours, theirs] = make_stream_pair(simulation);
  server.serve(std::move(theirs));
  testing_support::RawPeer peer(simulation, std::move(ours));
  peer.trickle(std::string("\x16\x03\x01\x40\x00\x01", 6) + std::string(1000, 'x'), seconds(1));
  simulation.run_for(seconds(8));
  EXPECT_FALSE(peer.is_cut_off());
  simulation.run_for(seconds(4));
  EXPECT_TRUE(peer.is_cut_off());
  EXPECT_EQ(server.connections(), 0U);
}

}  // namespace
}  // namespace berth::net
