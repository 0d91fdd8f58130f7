// Servers that mean no good, or are none. What a client asks of them fails within a bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/connection.h"
#include "net/exchange.h"
#include "net/http1_connection.h"
#include "net/http2_connection.h"
#include "net/memory_stream.h"
#include "net/testing/raw_peer.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

using std::chrono::seconds;
using testing_support::frame;
using testing_support::kContinuation;
using testing_support::kData;
using testing_support::kEndHeaders;
using testing_support::kEndStream;
using testing_support::kHeaders;
using testing_support::kPing;
using testing_support::kSettings;
using testing_support::kUnknown;
using testing_support::kWindowUpdate;
using testing_support::RawPeer;

class HostileServerTest : public testing::Test {
 public:
  static rt::Task<void> read_all(Exchange* exchange,
                                 rt::Until until,
                                 std::optional<Result<std::string>>* answer) {
    auto head = co_await exchange->head(until);
    if (!head) {
      answer->emplace(std::move(head).error());
      co_return;
    }
    std::string body;
    while (true) {
      auto piece = co_await exchange->next(until);
      if (!piece) {
        answer->emplace(std::move(piece).error());
        co_return;
      }
      if (!*piece) {
        break;
      }
      body += **piece;
    }
    answer->emplace(std::move(body));
  }

  void ask(Protocol protocol) {
    auto [ours, theirs] = make_stream_pair(simulation);
    server = std::make_unique<RawPeer>(simulation, std::move(theirs));
    if (protocol == Protocol::kHttp2) {
      connection = Http2Connection::start(simulation, std::move(ours), {});
      server->say(frame(kSettings, 0, 0, ""));
    } else {
      connection = Http1Connection::start(simulation, std::move(ours), {});
    }
    auto sent = connection->send(
        {.method = "GET", .scheme = "http", .authority = "there", .path = "/"}, "");
    ASSERT_TRUE(sent);
    exchange = *std::move(sent);
    // As long as the caller wants to wait, and no longer.
    scope.spawn("caller",
                read_all(exchange.get(), {.deadline = simulation.now() + seconds(50)}, &answer));
    simulation.run_for(seconds(1));
  }

  std::optional<ErrorCode> failure() const {
    return answer && !*answer ? std::optional(answer->error().code()) : std::nullopt;
  }

  rt::Simulation simulation{1};
  std::unique_ptr<RawPeer> server;
  std::shared_ptr<Connection> connection;
  std::unique_ptr<Exchange> exchange;
  std::optional<Result<std::string>> answer;
  rt::Scope scope{simulation, "test"};
};

// ":status: 200" by its number, ":status: 100" as a literal, "content-length: 3".
const std::string kOk = "\x88";
const std::string kContinue(
    "\x08\x03"
    "100",
    5);
const std::string kLength3(
    "\x0f\x0d\x01"
    "3",
    4);
const std::string kLongHeader =
    std::string("\x00\x01x\x7f\x81\x1e", 6) + std::string(4000, 'y');  // "x: yyy..."

TEST_F(HostileServerTest, OneThatDoesNothingWrongIsUnderstood) {
  ask(Protocol::kHttp2);
  server->say(frame(kHeaders, kEndHeaders, 1, kContinue) +
              frame(kHeaders, kEndHeaders, 1, kOk + kLength3) + frame(kData, kEndStream, 1, "abc"));
  simulation.run_for(seconds(1));
  ASSERT_TRUE(answer && *answer) << answer->error().text();
  EXPECT_EQ(**answer, "abc");
}

struct Flood {
  std::string_view name;
  Protocol protocol;
  std::string once;
  std::string again;
  ErrorCode code;
};

class FloodingServer : public HostileServerTest, public testing::WithParamInterface<Flood> {};

TEST_P(FloodingServer, IsGivenUp) {
  ask(GetParam().protocol);
  server->say(GetParam().once);
  server->flood(GetParam().again);
  simulation.run_for(seconds(5));
  EXPECT_TRUE(server->is_cut_off());
  EXPECT_LT(server->said(), 500'000U);
  ASSERT_TRUE(failure());
  // nghttp2 counts too, what comes in one piece; what it says is kUnavailable.
  EXPECT_TRUE(failure() == GetParam().code || failure() == ErrorCode::kUnavailable)
      << answer->error().text();
}

INSTANTIATE_TEST_SUITE_P(
    All,
    FloodingServer,
    testing::Values(
        Flood{"Http1Head", Protocol::kHttp1, "HTTP/1.1 200 OK\r\n", "a: b\r\n", ErrorCode::kLimit},
        Flood{"Http1InterimAnswers",
              Protocol::kHttp1,
              "",
              "HTTP/1.1 100 Continue\r\n\r\n",
              ErrorCode::kLimit},
        Flood{"Http1ChunkExtensions",
              Protocol::kHttp1,
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
              "xxxxxxxx",
              ErrorCode::kLimit},
        Flood{"Http1ChunksOfOneByte",
              Protocol::kHttp1,
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
              "1\r\nx\r\n",
              ErrorCode::kLimit},
        Flood{"Http1Trailers",
              Protocol::kHttp1,
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
              "a: b\r\n",
              ErrorCode::kLimit},
        Flood{"Http2Head",
              Protocol::kHttp2,
              frame(kHeaders, 0, 1, kOk),
              frame(kContinuation, 0, 1, kLongHeader),
              ErrorCode::kUnavailable},
        Flood{"Http2EmptyContinuations",
              Protocol::kHttp2,
              frame(kHeaders, 0, 1, kOk),
              frame(kContinuation, 0, 1, ""),
              ErrorCode::kUnavailable},
        Flood{
            "Http2Pings", Protocol::kHttp2, "", frame(kPing, 0, 0, "12345678"), ErrorCode::kLimit},
        Flood{"Http2Settings", Protocol::kHttp2, "", frame(kSettings, 0, 0, ""), ErrorCode::kLimit},
        Flood{"Http2Windows",
              Protocol::kHttp2,
              "",
              frame(kWindowUpdate, 0, 0, std::string("\0\0\0\x01", 4)),
              ErrorCode::kLimit},
        Flood{"Http2UnknownFrames",
              Protocol::kHttp2,
              "",
              frame(kUnknown, 0, 0, "x"),
              ErrorCode::kLimit},
        Flood{"Http2EmptyData",
              Protocol::kHttp2,
              frame(kHeaders, kEndHeaders, 1, kOk),
              frame(kData, 0, 1, ""),
              ErrorCode::kLimit}),
    [](const auto& row) { return std::string(row.param.name); });

// The stream is reset; the connection, which others share, goes on.
TEST_F(HostileServerTest, InterimAnswersWithoutEndFailTheirRequest) {
  ask(Protocol::kHttp2);
  std::string bytes;
  for (int i = 0; i < 5'000; ++i) {
    bytes += frame(kHeaders, kEndHeaders, 1, kContinue);
  }
  server->say(bytes);
  simulation.run_for(seconds(1));
  EXPECT_EQ(failure(), ErrorCode::kUnavailable);
  EXPECT_FALSE(connection->is_closing());
}

struct Wrong {
  std::string_view name;
  Protocol protocol;
  std::string bytes;
  bool leaves = false;  // the connection, behind them
};

class WrongServer : public HostileServerTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongServer, IsAnError) {
  ask(GetParam().protocol);
  server->say(GetParam().bytes);
  simulation.run_for(seconds(1));
  if (GetParam().leaves) {
    server->leave();
    simulation.run_for(seconds(1));
  }
  EXPECT_EQ(failure(), ErrorCode::kUnavailable) << (answer ? "an answer" : "no answer");
  EXPECT_TRUE(exchange->may_have_acted());
}

INSTANTIATE_TEST_SUITE_P(
    All,
    WrongServer,
    testing::Values(
        Wrong{"Http1BadChunk",
              Protocol::kHttp1,
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"},
        Wrong{"Http1ChunkLongerThanItsSize",
              Protocol::kHttp1,
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n"},
        Wrong{"Http1BodyShorterThanItsLength",
              Protocol::kHttp1,
              "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
              true},
        Wrong{"Http1TwoLengths",
              Protocol::kHttp1,
              "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc"},
        Wrong{"Http1NoHttp", Protocol::kHttp1, "220 mail.example ESMTP\r\n\r\n"},
        Wrong{"Http1Nothing", Protocol::kHttp1, "", true},
        Wrong{"Http2BodyShorterThanItsLength",
              Protocol::kHttp2,
              frame(kHeaders, kEndHeaders, 1, kOk + kLength3) + frame(kData, kEndStream, 1, "ab")},
        Wrong{"Http2BodyLongerThanItsLength",
              Protocol::kHttp2,
              frame(kHeaders, kEndHeaders, 1, kOk + kLength3) + frame(kData, 0, 1, "abcd")},
        Wrong{"Http2FrameTooLarge",
              Protocol::kHttp2,
              frame(kHeaders, kEndHeaders, 1, kOk) + frame(kData, 0, 1, std::string(20'000, 'x'))},
        // Found by fuzzing: nghttp2 takes it for a final one.
        Wrong{"Http2NoSuchStatus",
              Protocol::kHttp2,
              frame(kHeaders,
                    kEndHeaders,
                    1,
                    std::string("\x08\x03"
                                "050",
                                5)) +
                  frame(kData, 0, 1, "abc")},
        Wrong{"Http2NoSuchStatusAndNoBody",
              Protocol::kHttp2,
              frame(kHeaders,
                    kEndHeaders | kEndStream,
                    1,
                    std::string("\x08\x03"
                                "099",
                                5))},
        Wrong{"Http2BodyWithoutHead", Protocol::kHttp2, frame(kData, kEndStream, 1, "abc")},
        Wrong{"Http2BodyCutShort",
              Protocol::kHttp2,
              frame(kHeaders, kEndHeaders, 1, kOk) + frame(kData, 0, 1, "abc"),
              true},
        Wrong{"Http2NoHttp", Protocol::kHttp2, "HTTP/1.1 400 Bad Request\r\n\r\n"}),
    [](const auto& row) { return std::string(row.param.name); });

// More than the window of the stream, which nobody has read.
TEST_F(HostileServerTest, ABodyLongerThanAllowedEndsTheConnection) {
  auto [ours, theirs] = make_stream_pair(simulation);
  server = std::make_unique<RawPeer>(simulation, std::move(theirs));
  connection = Http2Connection::start(simulation, std::move(ours), {});
  auto sent =
      connection->send({.method = "GET", .scheme = "http", .authority = "there", .path = "/"}, "");
  ASSERT_TRUE(sent);
  server->say(frame(kSettings, 0, 0, "") + frame(kHeaders, kEndHeaders, 1, kOk));
  server->flood(frame(kData, 0, 1, std::string(16'000, 'x')));
  simulation.run_for(seconds(5));
  EXPECT_TRUE(server->is_cut_off());
  EXPECT_TRUE(connection->is_closing());
  EXPECT_LT(server->said(), 2'000'000U);
}

class SlowServer : public HostileServerTest, public testing::WithParamInterface<Protocol> {};

TEST_P(SlowServer, IsWaitedForAsLongAsTheCallerWants) {
  ask(GetParam());
  const std::string head = GetParam() == Protocol::kHttp2
                               ? frame(kHeaders, kEndHeaders, 1, kOk + kLongHeader)
                               : "HTTP/1.1 200 OK\r\nX: " + std::string(1000, 'x');
  server->trickle(head, seconds(1));
  simulation.run_for(seconds(45));
  EXPECT_FALSE(answer);
  simulation.run_for(seconds(10));
  EXPECT_EQ(failure(), ErrorCode::kTimeout);
}

INSTANTIATE_TEST_SUITE_P(Either,
                         SlowServer,
                         testing::Values(Protocol::kHttp1, Protocol::kHttp2),
                         [](const auto& row) {
                           return row.param == Protocol::kHttp1 ? "Http1" : "Http2";
                         });

}  // namespace
}  // namespace berth::net
