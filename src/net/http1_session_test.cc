#include "net/http1_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/http.h"

namespace berth::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Keeps what it is told, one message after the other.
class Log final : public Http1Session::Observer {
 public:
  struct Message {
    std::optional<RequestHead> request;
    std::optional<ResponseHead> response;
    std::string body;
    bool has_ended = false;
  };

  void on_begin() override { ++begun; }
  void on_request(RequestHead head) override { all.push_back({.request = std::move(head)}); }
  void on_response(ResponseHead head) override { all.push_back({.response = std::move(head)}); }
  void on_data(std::string_view bytes) override { all.back().body += bytes; }
  void on_end() override { all.back().has_ended = true; }
  void on_close() override { ++closed; }

  std::vector<Message> all;
  int begun = 0;
  int closed = 0;
};

RequestHead request_to(std::string method, std::string path) {
  return {.method = std::move(method),
          .scheme = "http",
          .authority = "localhost:8080",
          .path = std::move(path),
          .headers = {{"accept", "*/*"}}};
}

class Http1SessionTest : public testing::Test {
 public:
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

  void answer(std::string_view body, Headers headers = {}) {
    server.respond({.status = 200, .headers = std::move(headers)});
    server.send(body);
    server.finish();
  }

  Log client_log;
  Log server_log;
  Http1Session client{Http1Session::End::kClient, {}, client_log};
  Http1Session server{Http1Session::End::kServer, {}, server_log};
};

TEST_F(Http1SessionTest, CarriesARequestAndItsAnswer) {
  ASSERT_TRUE(client.request(request_to("POST", "/pods?limit=1"), "the body"));
  talk();
  ASSERT_EQ(server_log.all.size(), 1U);
  const Log::Message& asked = server_log.all[0];
  EXPECT_EQ(asked.request->method, "POST");
  EXPECT_EQ(asked.request->authority, "localhost:8080");
  EXPECT_EQ(asked.request->path, "/pods?limit=1");
  EXPECT_EQ(find_header(asked.request->headers, "accept"), "*/*");
  EXPECT_EQ(asked.body, "the body");
  EXPECT_TRUE(asked.has_ended);

  answer("the answer", {{"content-type", "text/plain"}, {"content-length", "10"}});
  talk();
  ASSERT_EQ(client_log.all.size(), 1U);
  EXPECT_EQ(client_log.all[0].response->status, 200);
  EXPECT_EQ(find_header(client_log.all[0].response->headers, "content-type"), "text/plain");
  EXPECT_EQ(client_log.all[0].body, "the answer");
  EXPECT_TRUE(client_log.all[0].has_ended);
  EXPECT_EQ(client_log.closed, 1);
  EXPECT_EQ(server_log.closed, 1);
}

TEST_F(Http1SessionTest, DoesNotMindHowTheBytesAreCut) {
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 7U}) {
    for (const std::string_view body : {"", "x", "some words"}) {
      ASSERT_TRUE(client.takes_request());
      ASSERT_TRUE(client.request(request_to("PUT", "/"), body));
      talk(piece);
      EXPECT_EQ(server_log.all.back().body, body);
      answer(body);  // in chunks
      talk(piece);
      EXPECT_EQ(client_log.all.back().body, body);
      EXPECT_TRUE(client_log.all.back().has_ended) << piece << body;
    }
  }
}

TEST_F(Http1SessionTest, AnswersInPiecesAsTheyCome) {
  ASSERT_TRUE(client.request(request_to("GET", "/watch"), ""));
  talk();
  server.respond({.status = 200});
  server.send("one ");
  talk();
  EXPECT_EQ(client_log.all[0].body, "one ");
  server.send("t");
  talk();
  EXPECT_EQ(client_log.all[0].body, "one t");
  server.send("wo");
  server.finish();
  talk();
  EXPECT_EQ(client_log.all[0].body, "one two");
  EXPECT_TRUE(client_log.all[0].has_ended);
  EXPECT_TRUE(client.takes_request());
}

TEST_F(Http1SessionTest, WhatIsSentAheadWaitsForItsTurn) {
  const std::string one = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string two = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n";
  ASSERT_TRUE(server.receive(one + two));
  EXPECT_EQ(server_log.all.size(), 1U);
  EXPECT_EQ(server_log.begun, 1);
  answer("first");
  EXPECT_THAT(server.output(1 << 20U), HasSubstr("first"));
  ASSERT_EQ(server_log.all.size(), 2U);
  EXPECT_EQ(server_log.all[1].request->path, "/2");
  answer("second");
  EXPECT_THAT(server.output(1 << 20U), HasSubstr("second"));
  EXPECT_EQ(server_log.closed, 2);
}

TEST_F(Http1SessionTest, WhoSendsFarAheadIsNotReadFrom) {
  ASSERT_TRUE(server.receive("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(server.wants_input());
  ASSERT_TRUE(server.receive(std::string(Http1Limits{}.ahead_max, 'x')));
  EXPECT_FALSE(server.wants_input());
  EXPECT_EQ(server_log.all.size(), 1U);
}

TEST_F(Http1SessionTest, ToldSoTheConnectionEndsAfterTheAnswer) {
  ASSERT_TRUE(server.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  answer("bye");
  EXPECT_FALSE(server.is_over());
  EXPECT_THAT(server.output(1 << 20U), HasSubstr("\r\nconnection: close\r\n"));
  EXPECT_TRUE(server.is_over());

  ASSERT_TRUE(client.request(request_to("GET", "/"), ""));
  client.output(1 << 20U);
  ASSERT_TRUE(client.receive("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_TRUE(client_log.all[0].has_ended);
  EXPECT_FALSE(client.takes_request());
  EXPECT_TRUE(client.is_over());
}

TEST_F(Http1SessionTest, AClosingServerSaysSoInItsLastAnswer) {
  ASSERT_TRUE(server.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  server.close_when_idle();
  EXPECT_FALSE(server.is_over());
  answer("bye");
  EXPECT_THAT(server.output(1 << 20U), HasSubstr("\r\nconnection: close\r\n"));
  EXPECT_TRUE(server.is_over());
  Http1Session idle(Http1Session::End::kServer, {}, server_log);
  idle.close_when_idle();
  EXPECT_TRUE(idle.is_over());
}

TEST_F(Http1SessionTest, ABodyWithoutLengthEndsWithTheConnection) {
  ASSERT_TRUE(client.request(request_to("GET", "/"), ""));
  client.output(1 << 20U);
  ASSERT_TRUE(client.receive("HTTP/1.0 200 OK\r\n\r\nall there"));
  ASSERT_TRUE(client.receive(" is"));
  EXPECT_FALSE(client_log.all[0].has_ended);
  ASSERT_TRUE(client.receive_end());
  EXPECT_EQ(client_log.all[0].body, "all there is");
  EXPECT_TRUE(client_log.all[0].has_ended);
  EXPECT_TRUE(client.is_over());

  ASSERT_TRUE(server.receive("GET / HTTP/1.0\r\n\r\n"));
  answer("all there is");
  const std::string bytes = server.output(1 << 20U);
  EXPECT_THAT(bytes, HasSubstr("\r\nconnection: close\r\n\r\nall there is"));
  EXPECT_TRUE(server.is_over());
}

TEST_F(Http1SessionTest, TheAnswerToHeadHasNoBody) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(client.request(request_to("HEAD", "/"), ""));
    talk();
    answer("dropped", {{"content-length", "7"}});
    talk();
    EXPECT_EQ(client_log.all.back().body, "");
    EXPECT_EQ(find_header(client_log.all.back().response->headers, "content-length"), "7");
    EXPECT_TRUE(client_log.all.back().has_ended);
  }
}

TEST_F(Http1SessionTest, AClientThatWaitsIsAskedForItsBody) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";
  ASSERT_TRUE(server.receive(head + "Content-Length: 3\r\n\r\n"));
  EXPECT_EQ(server.output(1 << 20U), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(server.receive("abc"));
  EXPECT_EQ(server_log.all[0].body, "abc");

  ASSERT_TRUE(client.request(request_to("POST", "/"), "abc"));
  client.output(1 << 20U);
  ASSERT_TRUE(client.receive("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"));
  EXPECT_TRUE(client_log.all.empty());
  ASSERT_TRUE(client.receive("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_EQ(client_log.all[0].response->status, 204);
  EXPECT_TRUE(client.takes_request());
}

TEST_F(Http1SessionTest, AnsweredBeforeItsEndARequestIsTheLast) {
  ASSERT_TRUE(server.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc"));
  server.respond({.status = 413, .headers = {{"content-length", "0"}}});
  server.finish();
  EXPECT_THAT(server.output(1 << 20U), HasSubstr("connection: close"));
  EXPECT_TRUE(server.is_over());
  EXPECT_TRUE(server.receive(std::string(97, 'x')));  // ignored
}

TEST_F(Http1SessionTest, TargetsMayNameTheServer) {
  ASSERT_TRUE(server.receive("GET http://b:1/x?y HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(server_log.all[0].request->authority, "b:1");
  EXPECT_EQ(server_log.all[0].request->path, "/x?y");
}

TEST_F(Http1SessionTest, WhatIsOfTheConnectionIsNotPassedOn) {
  ASSERT_TRUE(
      server.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nKeep-Alive: x\r\n"
                     "Accept: b\r\n\r\n"));
  EXPECT_THAT(server_log.all[0].request->headers, ElementsAre(Header{"accept", "b"}));
}

TEST_F(Http1SessionTest, NoHeaderBecomesTwo) {
  RequestHead head = request_to("GET", "/");
  head.headers.push_back({"x", "a\r\nevil: b"});
  EXPECT_FALSE(client.request(head, ""));
  head = request_to("GET", "/ HTTP/1.1\r\nevil: b");
  const auto sent = client.request(head, "");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code(), ErrorCode::kInvalid);
  EXPECT_TRUE(client.takes_request());
  ASSERT_TRUE(server.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  answer("", {{"x", "a\r\nevil: b"}});
  EXPECT_EQ(server.output(1 << 20U).find("evil"), std::string::npos);
}

struct Refused {
  std::string_view name;
  std::string bytes;
  ErrorCode code = ErrorCode::kInvalid;
};

class RefusedRequest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedRequest, IsToldSoAndCutOff) {
  for (const std::size_t piece : {1UL, 1UL << 20U}) {
    Log log;
    Http1Session server(Http1Session::End::kServer, {}, log);
    Result<void> received;
    const std::string_view bytes = GetParam().bytes;
    for (std::size_t at = 0; at < bytes.size() && received; at += piece) {
      received = server.receive(bytes.substr(at, piece));
    }
    ASSERT_FALSE(received) << piece;
    EXPECT_EQ(received.error().code(), GetParam().code) << received.error().text();
    const std::string_view status = GetParam().code == ErrorCode::kLimit ? "431" : "400";
    EXPECT_EQ(server.output(1 << 20U).substr(9, 3), status);
    EXPECT_TRUE(server.is_over());
    for (const Log::Message& message : log.all) {
      EXPECT_FALSE(message.has_ended);
    }
  }
}

const std::string kPost = "POST / HTTP/1.1\r\nHost: a\r\n";

INSTANTIATE_TEST_SUITE_P(
    All,
    RefusedRequest,
    testing::Values(
        Refused{"LengthAndCoding",
                kPost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"},
        Refused{"CodingAndLength",
                kPost + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"},
        Refused{"TwoLengths", kPost + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n"},
        Refused{"TheSameLengthTwice", kPost + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n"},
        Refused{"AListOfLengths", kPost + "Content-Length: 3, 3\r\n\r\n"},
        Refused{"ANegativeLength", kPost + "Content-Length: -3\r\n\r\n"},
        Refused{"ASignedLength", kPost + "Content-Length: +3\r\n\r\n"},
        Refused{"AHexadecimalLength", kPost + "Content-Length: 0x3\r\n\r\n"},
        Refused{"AnEmptyLength", kPost + "Content-Length:\r\n\r\n"},
        Refused{"ALengthBeyondAllNumbers", kPost + "Content-Length: 18446744073709551616\r\n\r\n"},
        Refused{"AnotherCoding", kPost + "Transfer-Encoding: gzip\r\n\r\n"},
        Refused{"TwoCodings", kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n"},
        Refused{"ACodingTwice",
                kPost + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n"},
        Refused{"AnUnknownCodingAndALength",
                kPost + "Transfer-Encoding: identity\r\nContent-Length: 3\r\n\r\n"},
        Refused{"ChunksInAnOldVersion",
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        Refused{"AFoldedHeader", kPost + "X: a\r\n b\r\n\r\n"},
        Refused{"AHeaderFoldedAtItsStart", kPost + "X:\r\n\tb\r\n\r\n"},
        Refused{"AFoldedFirstHeader", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
        Refused{"ABareLineFeed", "GET / HTTP/1.1\nHost: a\r\n\r\n"},
        Refused{"ABareCarriageReturn", kPost + "X: a\rb\r\n\r\n"},
        Refused{"ASpaceBeforeTheColon", kPost + "Content-Length : 3\r\n\r\n"},
        Refused{"NoHost", "GET / HTTP/1.1\r\n\r\n"},
        Refused{"TwoHosts", kPost + "Host: b\r\n\r\n"},
        Refused{"NoPath", "GET x HTTP/1.1\r\nHost: a\r\n\r\n"},
        Refused{"ANulInAHeader", kPost + std::string("X: a\0b\r\n\r\n", 10)},
        Refused{"AnotherVersion", "GET / HTTP/3.0\r\nHost: a\r\n\r\n"},
        Refused{"TlsInTheClear", std::string("\x16\x03\x01\x02\x00\x01", 6)},
        Refused{"AChunkOfNoSize", kPost + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n"},
        Refused{"AChunkOfNegativeSize", kPost + "Transfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n"},
        Refused{"AChunkBeyondAllNumbers",
                kPost + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\nabc\r\n"},
        Refused{"AChunkLongerThanItsSize",
                kPost + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n"},
        Refused{"ALengthInTheTrailers",
                kPost + "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n"},
        Refused{"AHeadWithoutEnd", kPost + "X: " + std::string(70'000, 'x'), ErrorCode::kLimit},
        Refused{"ManySmallHeaders",
                [] {
                  std::string bytes = kPost;
                  for (int i = 0; i < 20'000; ++i) {
                    bytes += "a:\r\n";
                  }
                  return bytes;
                }(),
                ErrorCode::kLimit},
        Refused{"ManySmallHeadersThatEnd",
                [] {
                  std::string bytes = kPost;
                  for (int i = 0; i < 5'000; ++i) {
                    bytes += "a:\r\n";
                  }
                  return bytes + "\r\n";
                }(),
                ErrorCode::kLimit},
        Refused{"AChunkSizeWithoutEnd",
                kPost + "Transfer-Encoding: chunked\r\n\r\n3;" + std::string(70'000, 'x'),
                ErrorCode::kLimit},
        Refused{"TrailersWithoutEnd",
                kPost + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(70'000, 'x'),
                ErrorCode::kLimit},
        Refused{"ManyChunkExtensions",
                [] {
                  std::string bytes = kPost + "Transfer-Encoding: chunked\r\n\r\n";
                  for (int i = 0; i < 1'000; ++i) {
                    bytes += "1;" + std::string(100, 'e') + "\r\nx\r\n";
                  }
                  return bytes;
                }(),
                ErrorCode::kLimit}),
    [](const auto& row) { return std::string(row.param.name); });

class RefusedAnswer : public testing::TestWithParam<Refused> {};

TEST_P(RefusedAnswer, EndsTheConnection) {
  for (const std::size_t piece : {1UL, 1UL << 20U}) {
    Log log;
    Http1Session client(Http1Session::End::kClient, {}, log);
    ASSERT_TRUE(client.request(request_to("GET", "/"), ""));
    client.output(1 << 20U);
    Result<void> received;
    const std::string_view bytes = GetParam().bytes;
    for (std::size_t at = 0; at < bytes.size() && received; at += piece) {
      received = client.receive(bytes.substr(at, piece));
    }
    if (received) {
      received = client.receive_end();
    }
    ASSERT_FALSE(received) << piece;
    EXPECT_EQ(received.error().code(), GetParam().code) << received.error().text();
    EXPECT_TRUE(client.is_over());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RefusedAnswer,
    testing::Values(
        Refused{"Nothing", "", ErrorCode::kUnavailable},
        Refused{"AnotherProtocol", "SSH-2.0-OpenSSH_9\r\n\r\n", ErrorCode::kUnavailable},
        Refused{"AnAnswerCutInItsHead", "HTTP/1.1 200 OK\r\nCont", ErrorCode::kUnavailable},
        Refused{"AnAnswerCutInItsBody",
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                ErrorCode::kUnavailable},
        Refused{"AnAnswerCutInAChunk",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",
                ErrorCode::kUnavailable},
        Refused{"AnAnswerCutBetweenChunks",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                ErrorCode::kUnavailable},
        Refused{"ABadChunk",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
                ErrorCode::kUnavailable},
        Refused{"AnotherCoding",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
                ErrorCode::kUnavailable},
        Refused{"LengthAndCoding",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                ErrorCode::kUnavailable},
        Refused{"NoSuchStatus", "HTTP/1.1 000 OK\r\n\r\n", ErrorCode::kUnavailable},
        Refused{"ASwitchOfProtocols",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n",
                ErrorCode::kUnavailable},
        Refused{"TwoAnswers",
                "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                ErrorCode::kUnavailable},
        Refused{"AHeadWithoutEnd",
                "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x'),
                ErrorCode::kLimit},
        Refused{"InterimAnswersWithoutEnd",
                [] {
                  std::string bytes;
                  for (int i = 0; i < 4'000; ++i) {
                    bytes += "HTTP/1.1 100 Continue\r\n\r\n";
                  }
                  return bytes;
                }(),
                ErrorCode::kLimit}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(Http1SessionTest, AnAnswerNobodyAskedForEndsTheConnection) {
  const auto received = client.receive("HTTP/1.1 200 OK\r\n\r\n");
  ASSERT_FALSE(received);
  EXPECT_TRUE(client.is_over());
  EXPECT_FALSE(client.takes_request());
}

}  // namespace
}  // namespace berth::net
