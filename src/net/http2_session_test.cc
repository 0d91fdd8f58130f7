#include "net/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "net/http.h"

namespace berth::net {
namespace {

using testing::ElementsAre;

// Keeps what it is told.
class Log final : public Http2Session::Observer {
 public:
  struct Message {
    std::optional<RequestHead> request;
    std::optional<ResponseHead> response;
    std::string body;
    bool has_ended = false;
    std::optional<Reset> reset;
  };

  void on_request(StreamId stream, RequestHead head) override {
    of[stream].request = std::move(head);
  }
  void on_response(StreamId stream, ResponseHead head) override {
    of[stream].response = std::move(head);
  }
  void on_data(StreamId stream, std::string_view bytes) override { of[stream].body += bytes; }
  void on_end(StreamId stream) override { of[stream].has_ended = true; }
  void on_reset(StreamId stream, Reset why) override { of[stream].reset = why; }
  void on_goaway(StreamId last, Reset /*why*/, std::string_view /*text*/) override {
    goaway = last;
  }
  void on_pong() override { ++pongs; }

  std::map<StreamId, Message> of;
  std::optional<StreamId> goaway;
  int pongs = 0;
};

class Http2SessionTest : public testing::Test {
 public:
  explicit Http2SessionTest(const Http2Limits& limits = {})
      : client(Http2Session::End::kClient, limits, client_log),
        server(Http2Session::End::kServer, limits, server_log) {}

  // Passes on what both have to say, in pieces of that size, until neither has anything.
  void talk(std::size_t piece = 4096) {
    for (bool is_quiet = false; !is_quiet;) {
      is_quiet = true;
      for (auto [from, to] : {std::pair(&client, &server), std::pair(&server, &client)}) {
        const std::string bytes = from->output(1 << 20U);
        is_quiet = is_quiet && bytes.empty();
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
          const auto received = to->receive(std::string_view(bytes).substr(at, piece));
          ASSERT_TRUE(received) << received.error().text();
        }
      }
    }
  }

  StreamId ask(std::string body = "") {
    const auto stream = client.request(kGet, std::move(body));
    EXPECT_TRUE(stream);
    return stream ? *stream : 0;
  }

  void answer(StreamId stream, std::string_view body) {
    server.respond(stream, {.status = 200, .headers = {{"content-type", "text/plain"}}});
    server.send(stream, body);
    server.finish(stream);
  }

  inline static const RequestHead kGet{.method = "GET",
                                       .scheme = "https",
                                       .authority = "localhost:6443",
                                       .path = "/api/v1/pods?limit=1",
                                       .headers = {{"accept", "application/json"}}};
  Log client_log;
  Log server_log;
  Http2Session client;
  Http2Session server;
};

TEST_F(Http2SessionTest, CarriesARequestAndItsAnswer) {
  const StreamId stream = ask("the body");
  talk();
  const Log::Message& asked = server_log.of[stream];
  ASSERT_TRUE(asked.request);
  EXPECT_EQ(asked.request->method, "GET");
  EXPECT_EQ(asked.request->authority, "localhost:6443");
  EXPECT_EQ(asked.request->path, "/api/v1/pods?limit=1");
  EXPECT_THAT(asked.request->headers, ElementsAre(Header{"accept", "application/json"}));
  EXPECT_EQ(asked.body, "the body");
  EXPECT_TRUE(asked.has_ended);

  answer(stream, "the answer");
  talk();
  const Log::Message& answered = client_log.of[stream];
  ASSERT_TRUE(answered.response);
  EXPECT_EQ(answered.response->status, 200);
  EXPECT_EQ(answered.body, "the answer");
  EXPECT_TRUE(answered.has_ended);
  EXPECT_FALSE(answered.reset);
}

TEST_F(Http2SessionTest, DoesNotMindHowTheBytesAreCut) {
  const StreamId stream = ask("a body");
  talk(1);
  answer(stream, "an answer");
  talk(1);
  EXPECT_EQ(server_log.of[stream].body, "a body");
  EXPECT_EQ(client_log.of[stream].body, "an answer");
}

TEST_F(Http2SessionTest, GathersManyRequestsIntoOnePiece) {
  talk();
  for (int i = 0; i < 50; ++i) {
    ask("x");
  }
  const std::string bytes = client.output(1 << 20U);
  ASSERT_TRUE(server.receive(bytes));
  EXPECT_EQ(server_log.of.size(), 50U);
  EXPECT_FALSE(client.wants_output());
}

TEST_F(Http2SessionTest, AnswersInPiecesAsTheyCome) {
  const StreamId stream = ask();
  talk();
  server.respond(stream, {.status = 200});
  server.send(stream, "one ");
  talk();
  EXPECT_EQ(client_log.of[stream].body, "one ");
  server.send(stream, "two");
  talk();
  EXPECT_EQ(client_log.of[stream].body, "one two");
  EXPECT_FALSE(client_log.of[stream].has_ended);
  server.finish(stream);
  talk();
  EXPECT_TRUE(client_log.of[stream].has_ended);
}

TEST_F(Http2SessionTest, TellsTheOtherOfAReset) {
  const StreamId stream = ask();
  talk();
  client.reset(stream, Reset::kCancel);
  talk();
  EXPECT_EQ(server_log.of[stream].reset, Reset::kCancel);
  const StreamId refused = ask();
  talk();
  server.reset(refused, Reset::kRefused);
  talk();
  EXPECT_EQ(client_log.of[refused].reset, Reset::kRefused);
}

TEST_F(Http2SessionTest, AfterGoAwayTakesNoMoreAndEndsWhatIsOpen) {
  const StreamId stream = ask();
  talk();
  server.go_away();
  talk();
  EXPECT_EQ(client_log.goaway, stream);
  EXPECT_EQ(client.free_streams(), 0U);
  EXPECT_FALSE(client.request(kGet, ""));
  answer(stream, "still answered");
  talk();
  EXPECT_TRUE(client_log.of[stream].has_ended);
  EXPECT_TRUE(client.is_over());
}

TEST_F(Http2SessionTest, AnswersPings) {
  talk();
  client.ping();
  talk();
  EXPECT_EQ(client_log.pongs, 1);
}

TEST_F(Http2SessionTest, WhatIsNotHttp2IsAnError) {
  talk();
  EXPECT_FALSE(client.is_over());
  static_cast<void>(client.receive("HTTP/1.1 400 Bad Request\r\n\r\n"));
  EXPECT_NE(client.output(1 << 20U), "");  // what is wrong
  EXPECT_TRUE(client.is_over());

  Http2Session fresh(Http2Session::End::kServer, {}, server_log);
  const auto received = fresh.receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code(), ErrorCode::kUnavailable);
}

class SmallWindows : public Http2SessionTest {
 public:
  SmallWindows() : Http2SessionTest({.stream_window = 1000, .connection_window = 70'000}) {}
};

TEST_F(SmallWindows, ABodyGoesOnWhenWhatCameIsUsed) {
  const StreamId stream = ask();
  talk();
  answer(stream, std::string(2500, 'x'));
  talk();
  EXPECT_EQ(client_log.of[stream].body.size(), 1000U);
  EXPECT_EQ(server.unsent(stream), 1500U);
  client.consume(stream, 1000);
  talk();
  EXPECT_EQ(client_log.of[stream].body.size(), 2000U);
  client.consume(stream, 1000);
  talk();
  EXPECT_EQ(client_log.of[stream].body.size(), 2500U);
  EXPECT_TRUE(client_log.of[stream].has_ended);
}

// What nobody reads of one answer does not hold up the others.
TEST_F(SmallWindows, OneSlowReaderDoesNotStopTheOthers) {
  const StreamId slow = ask();
  const StreamId quick = ask();
  talk();
  answer(slow, std::string(5000, 's'));
  answer(quick, std::string(900, 'q'));
  talk();
  EXPECT_FALSE(client_log.of[slow].has_ended);
  EXPECT_TRUE(client_log.of[quick].has_ended);
}

class FewStreams : public Http2SessionTest {
 public:
  FewStreams() : Http2SessionTest({.streams_max = 2}) {}
};

TEST_F(FewStreams, TheServersLimitIsKept) {
  talk();  // the settings
  EXPECT_EQ(client.free_streams(), 2U);
  const StreamId first = ask();
  ask();
  EXPECT_EQ(client.free_streams(), 0U);
  const auto third = client.request(kGet, "");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code(), ErrorCode::kUnavailable);
  talk();
  answer(first, "");
  talk();
  EXPECT_EQ(client.free_streams(), 1U);
}

class SmallHeaders : public Http2SessionTest {
 public:
  SmallHeaders() : Http2SessionTest({.header_bytes_max = 500}) {}
};

TEST_F(SmallHeaders, EndlessHeadersAreRefused) {
  RequestHead head = kGet;
  for (int i = 0; i < 100; ++i) {
    head.headers.push_back({"x-" + std::to_string(i), std::string(50, 'x')});
  }
  const auto stream = client.request(head, "");
  ASSERT_TRUE(stream);
  talk();
  EXPECT_FALSE(server_log.of[*stream].request);
  EXPECT_TRUE(client_log.of[*stream].reset);
}

class FewResets : public Http2SessionTest {
 public:
  FewResets() : Http2SessionTest({.resets_max = 10}) {}
};

TEST_F(FewResets, WhoOpensStreamsOnlyToResetThemIsCutOff) {
  talk();
  bool is_cut = false;
  for (int i = 0; i < 50 && !is_cut; ++i) {
    const StreamId stream = ask();
    const std::string asked = client.output(1 << 20U);
    client.reset(stream, Reset::kCancel);
    is_cut = !server.receive(asked + client.output(1 << 20U));
  }
  EXPECT_TRUE(is_cut);
}

TEST_F(FewResets, WhoAlsoWaitsForAnswersIsNot) {
  for (int i = 0; i < 50; ++i) {
    const StreamId given_up = ask();
    const StreamId wanted = ask();
    talk();
    client.reset(given_up, Reset::kCancel);
    answer(wanted, "");
    talk();
    ASSERT_TRUE(client_log.of[wanted].has_ended);
  }
}

}  // namespace
}  // namespace berth::net
