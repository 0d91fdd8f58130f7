#include "net/http1_connection.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/memory_stream.h"
#include "net/testing/raw_peer.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

using std::chrono::seconds;

constexpr std::string_view kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

class Http1ConnectionTest : public testing::Test {
 public:
  Http1ConnectionTest() {
    auto [ours, theirs] = make_stream_pair(simulation);
    server = std::move(theirs);
    connection = Http1Connection::start(simulation, std::move(ours), {});
    scope.spawn("server", keep(server.get(), &heard));
  }

  static rt::Task<void> keep(ByteStream* stream, std::string* heard) {
    std::array<char, 5000> buffer{};
    while (true) {
      const auto count = co_await stream->read(buffer, {});
      if (!count || *count == 0) {
        *heard += "|end";
        co_return;
      }
      heard->append(buffer.data(), *count);
    }
  }

  static rt::Task<void> write(ByteStream* stream, std::string text) {
    static_cast<void>(co_await stream->write(text, {}));
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

  // What the server says, now.
  void say(std::string_view text) {
    scope.spawn("say", write(server.get(), std::string(text)));
    simulation.run_for(seconds(1));
  }

  std::unique_ptr<Exchange> ask(std::string body = "") {
    auto exchange = connection->send(
        {.method = "POST", .scheme = "http", .authority = "there", .path = "/"}, std::move(body));
    EXPECT_TRUE(exchange) << exchange.error().text();
    return exchange ? *std::move(exchange) : nullptr;
  }

  Result<std::string> answer_of(Exchange& exchange) {
    Result<std::string> answer = Error(ErrorCode::kInternal, "nothing yet");
    scope.spawn("caller", read_all(&exchange, &answer));
    simulation.run_for(seconds(1));
    return answer;
  }

  rt::Simulation simulation{1};
  std::unique_ptr<ByteStream> server;
  std::string heard;
  std::shared_ptr<Http1Connection> connection;
  rt::Scope scope{simulation, "test"};
};

TEST_F(Http1ConnectionTest, AsksAndIsAnsweredAgainAndAgain) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(connection->free_streams(), 1U);
    const auto exchange = ask("a body");
    EXPECT_EQ(connection->free_streams(), 0U);
    EXPECT_EQ(connection->exchanges(), 1U);
    say(kHello);
    const auto answer = answer_of(*exchange);
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(*answer, "200 hello");
  }
  EXPECT_EQ(connection->exchanges(), 0U);
}

TEST_F(Http1ConnectionTest, TakesOneRequestAtATime) {
  const auto exchange = ask();
  const auto second =
      connection->send({.method = "GET", .scheme = "http", .authority = "there", .path = "/"}, "");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
}

TEST_F(Http1ConnectionTest, ALargeAnswerWaitsForItsReader) {
  const auto exchange = ask();
  const std::string body(5'000'000, 'x');
  scope.spawn("say",
              write(server.get(), "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + body));
  simulation.run_for(seconds(1));
  EXPECT_FALSE(connection->is_closing());
  const auto answer = answer_of(*exchange);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->size(), body.size() + 4);
}

// The server cannot send more than the connection holds and the pipe between them.
TEST_F(Http1ConnectionTest, WhatNobodyReadsIsBounded) {
  const auto exchange = ask();
  std::string body(5'000'000, 'x');
  bool is_written = false;
  struct Flood {
    static rt::Task<void> run(ByteStream* stream, std::string text, bool* done) {
      static_cast<void>(co_await stream->write(text, {}));
      *done = true;
    }
  };
  scope.spawn("flood",
              Flood::run(server.get(), "HTTP/1.1 200 OK\r\n\r\n" + std::move(body), &is_written));
  simulation.run_for(seconds(100));
  EXPECT_FALSE(is_written);
}

TEST_F(Http1ConnectionTest, AnIdleConnectionTheServerClosesIsNotUsedAgain) {
  auto exchange = ask();
  say(kHello);
  EXPECT_TRUE(answer_of(*exchange));
  bool is_told = false;
  connection->on_change([&is_told] { is_told = true; });
  server->close();
  simulation.run_for(seconds(1));
  EXPECT_TRUE(is_told);
  EXPECT_TRUE(connection->is_closing());
  EXPECT_EQ(connection->free_streams(), 0U);
  EXPECT_FALSE(connection->send({.method = "GET", .authority = "there", .path = "/"}, ""));
}

TEST_F(Http1ConnectionTest, ALostAnswerMayHaveBeenActedOn) {
  const auto exchange = ask();
  simulation.run_for(seconds(1));
  EXPECT_NE(heard, "");
  server->close();
  const auto answer = answer_of(*exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(exchange->may_have_acted());
}

// Sent before the connection has noticed that the server left. Where the reader's turn comes before
// the writer's, nothing was written.
TEST(Http1Connection, WhatWasNeverWrittenMayBeSentAgain) {
  int unwritten = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    rt::Simulation simulation(seed);
    auto [ours, theirs] = make_stream_pair(simulation);
    const auto connection = Http1Connection::start(simulation, std::move(ours), {});
    simulation.run_for(seconds(1));
    theirs->close();
    const auto exchange =
        connection->send({.method = "GET", .authority = "there", .path = "/"}, "");
    ASSERT_TRUE(exchange);
    simulation.run_for(seconds(1));
    EXPECT_TRUE(connection->is_closing());
    unwritten += (*exchange)->may_have_acted() ? 0 : 1;
  }
  EXPECT_GT(unwritten, 0);
  EXPECT_LT(unwritten, 20);
}

TEST_F(Http1ConnectionTest, AnExchangeThatIsDroppedEndsTheConnection) {
  auto exchange = ask();
  simulation.run_for(seconds(1));
  exchange.reset();
  simulation.run_for(seconds(1));
  EXPECT_TRUE(connection->is_closing());
  EXPECT_TRUE(heard.ends_with("|end"));
}

TEST_F(Http1ConnectionTest, AnExchangeThatWasAnsweredDoesNot) {
  auto exchange = ask();
  say(kHello);
  exchange.reset();
  simulation.run_for(seconds(1));
  EXPECT_FALSE(connection->is_closing());
}

TEST_F(Http1ConnectionTest, AfterTheLastAnswerItIsClosed) {
  auto exchange = ask();
  say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbye");
  EXPECT_TRUE(connection->is_closing());
  const auto answer = answer_of(*exchange);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, "200 bye");
  EXPECT_TRUE(heard.ends_with("|end"));
}

// The rest of the request would stand in front of the next one.
TEST(Http1Connection, AnAnswerBeforeTheRequestHasLeftIsTheLast) {
  rt::Simulation simulation(1);
  auto [ours, theirs] = make_stream_pair(simulation);
  testing_support::RawPeer server(
      simulation, std::move(theirs), testing_support::RawPeer::Reads::kNever);
  const auto connection = Http1Connection::start(simulation, std::move(ours), {});
  const auto exchange = connection->send({.method = "POST", .authority = "there", .path = "/"},
                                         std::string(5'000'000, 'x'));
  ASSERT_TRUE(exchange);
  simulation.run_for(seconds(1));
  server.say("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\n\r\nno\n");
  simulation.run_for(seconds(1));
  EXPECT_TRUE(connection->is_closing());
  struct Reader {
    static rt::Task<void> run(Exchange* exchange, int* status) {
      const auto head = co_await exchange->head({});
      *status = head ? head->status : 0;
    }
  };
  int status = 0;
  rt::Scope scope(simulation, "test");
  scope.spawn("reader", Reader::run(exchange->get(), &status));
  simulation.run_for(seconds(100));
  EXPECT_EQ(status, 413);
}

TEST_F(Http1ConnectionTest, IdleForLongItIsClosed) {
  auto exchange = ask();
  simulation.run_for(seconds(100));  // busy, however long
  EXPECT_FALSE(connection->is_closing());
  say(kHello);
  simulation.run_for(seconds(20));
  EXPECT_FALSE(connection->is_closing());
  simulation.run_for(seconds(20));
  EXPECT_TRUE(connection->is_closing());
}

TEST_F(Http1ConnectionTest, ToldSoItEndsWhatIsUnderWayAndTakesNoMore) {
  auto exchange = ask();
  connection->close_when_idle();
  EXPECT_TRUE(connection->is_closing());
  EXPECT_FALSE(connection->send({.method = "GET", .authority = "there", .path = "/"}, ""));
  say(kHello);
  const auto answer = answer_of(*exchange);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(*answer, "200 hello");
  EXPECT_TRUE(heard.ends_with("|end"));
}

TEST_F(Http1ConnectionTest, AnAnswerWithoutEndIsAnError) {
  const auto exchange = ask();
  scope.spawn("say", write(server.get(), "HTTP/1.1 200 OK\r\nX: " + std::string(1'000'000, 'x')));
  const auto answer = answer_of(*exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kLimit);
  EXPECT_TRUE(connection->is_closing());
}

TEST_F(Http1ConnectionTest, AHeadThatNeverEndsIsWaitedForAsLongAsTheCallerWants) {
  const auto exchange = ask();
  for (const char c : std::string_view("HTTP/1.1")) {
    say(std::string_view(&c, 1));
  }
  struct Impatient {
    static rt::Task<void> run(Exchange* exchange, rt::Until until, std::optional<Error>* why) {
      const auto head = co_await exchange->head(until);
      if (!head) {
        *why = head.error();
      }
    }
  };
  std::optional<Error> why;
  scope.spawn("impatient",
              Impatient::run(exchange.get(), {.deadline = simulation.now() + seconds(5)}, &why));
  simulation.run_for(seconds(6));
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code(), ErrorCode::kTimeout);
}

}  // namespace
}  // namespace berth::net
