#include "net/http2_connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/memory_stream.h"
#include "net/testing/echo_server.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"

namespace berth::net {
namespace {

using std::chrono::seconds;

class Http2ConnectionTest : public testing::Test {
 public:
  Http2ConnectionTest() {
    auto [ours, theirs] = make_stream_pair(simulation);
    server = std::make_unique<testing_support::EchoServer>(simulation, std::move(theirs));
    scope.spawn("server", server->run(scope.token()));
    connection = Http2Connection::start(simulation, std::move(ours), {});
  }

  static RequestHead post(std::string path) {
    return {.method = "POST", .scheme = "http", .authority = "echo", .path = std::move(path)};
  }

  static rt::Task<void> read_all(Exchange* exchange, Result<std::string>* answer) {
    const auto head = co_await exchange->head({});
    if (!head) {
      *answer = head.error();
      co_return;
    }
    std::string body = std::to_string(head->status) + " ";
    while (true) {
      auto piece = co_await exchange->next({});
      if (!piece) {
        *answer = std::move(piece).error();
        co_return;
      }
      if (!*piece) {
        break;
      }
      body += **piece;
    }
    *answer = std::move(body);
  }

  static rt::Task<void> say(ByteStream* stream, std::string text) {
    static_cast<void>(co_await stream->write(text, {}));
  }

  Result<std::string> answer_of(Exchange& exchange) {
    Result<std::string> answer = Error(ErrorCode::kInternal, "nothing yet");
    scope.spawn("caller", read_all(&exchange, &answer));
    simulation.run_for(seconds(1));
    return answer;
  }

  rt::Simulation simulation{1};
  rt::Scope scope{simulation, "test"};
  std::unique_ptr<testing_support::EchoServer> server;
  std::shared_ptr<Http2Connection> connection;
};

TEST_F(Http2ConnectionTest, AsksAndIsAnswered) {
  auto exchange = connection->send(post("/echo"), "hello");
  ASSERT_TRUE(exchange);
  const auto answer = answer_of(**exchange);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(*answer, "200 hello");
}

TEST_F(Http2ConnectionTest, CarriesBodiesLargerThanAnyWindow) {
  const std::string body(5'000'000, 'x');
  auto exchange = connection->send(post("/echo"), body);
  ASSERT_TRUE(exchange);
  const auto answer = answer_of(**exchange);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->size(), body.size() + 4);
}

TEST_F(Http2ConnectionTest, ManyExchangesRunBesideEachOther) {
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (int i = 0; i < 100; ++i) {
    auto exchange = connection->send(post("/echo"), std::to_string(i));
    ASSERT_TRUE(exchange) << exchange.error().text();
    exchanges.push_back(*std::move(exchange));
  }
  for (int i = 0; i < 100; ++i) {
    const auto answer = answer_of(*exchanges[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(answer);
    EXPECT_EQ(*answer, "200 " + std::to_string(i));
  }
  EXPECT_EQ(connection->exchanges(), 0U);
}

TEST_F(Http2ConnectionTest, AnExchangeThatIsDroppedIsGivenUpOnTheServerToo) {
  auto exchange = connection->send(post("/never"), "");
  ASSERT_TRUE(exchange);
  simulation.run_for(seconds(1));
  EXPECT_EQ(server->open_streams(), 1U);
  exchange->reset();
  simulation.run_for(seconds(1));
  EXPECT_EQ(server->open_streams(), 0U);
}

TEST_F(Http2ConnectionTest, ALostConnectionFailsWhatIsUnderWay) {
  auto exchange = connection->send(post("/never"), "");
  ASSERT_TRUE(exchange);
  simulation.run_for(seconds(1));
  server->cut();
  const auto answer = answer_of(**exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE((*exchange)->may_have_acted());
  EXPECT_TRUE(connection->is_closing());
  EXPECT_FALSE(connection->send(post("/echo"), ""));
}

TEST_F(Http2ConnectionTest, WhatTheServerRefusedMayBeSentAgain) {
  auto exchange = connection->send(post("/refuse"), "");
  ASSERT_TRUE(exchange);
  const auto answer = answer_of(**exchange);
  ASSERT_FALSE(answer);
  EXPECT_FALSE((*exchange)->may_have_acted());
}

TEST_F(Http2ConnectionTest, AServerThatFallsSilentIsGivenUp) {
  auto exchange = connection->send(post("/never"), "");
  ASSERT_TRUE(exchange);
  simulation.run_for(seconds(40));  // asked, and answered
  EXPECT_FALSE(connection->is_closing());
  server->fall_silent();
  simulation.run_for(seconds(50));
  EXPECT_TRUE(connection->is_closing());
  const auto answer = answer_of(**exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().text(), "the server does not answer");
}

TEST_F(Http2ConnectionTest, AServerThatSpeaksSomethingElseIsAnError) {
  auto [ours, theirs] = make_stream_pair(simulation);
  auto other = Http2Connection::start(simulation, std::move(ours), {});
  auto exchange = other->send(post("/echo"), "");
  ASSERT_TRUE(exchange);
  scope.spawn("other", say(theirs.get(), "HTTP/1.1 400 Bad Request\r\n\r\n"));
  const auto answer = answer_of(**exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().text(), "the server does not speak HTTP/2");
}

TEST_F(Http2ConnectionTest, AClosingConnectionEndsWhatIsUnderWayAndTakesNoMore) {
  auto exchange = connection->send(post("/echo"), "last");
  ASSERT_TRUE(exchange);
  connection->close_when_idle();
  EXPECT_FALSE(connection->send(post("/echo"), ""));
  const auto answer = answer_of(**exchange);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(*answer, "200 last");
}

}  // namespace
}  // namespace berth::net
