// Peers that mean no good, or cannot do better. Each is cut off, or held, within a bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/http_server.h"
#include "net/memory_stream.h"
#include "net/testing/raw_peer.h"
#include "net/testing/test_handler.h"
#include "rt/simulation.h"

namespace berth::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing_support::frame;
using testing_support::get;
using testing_support::hello;
using testing_support::kContinuation;
using testing_support::kData;
using testing_support::kEndHeaders;
using testing_support::kEndStream;
using testing_support::kHeaders;
using testing_support::kPing;
using testing_support::kPriority;
using testing_support::kResetStream;
using testing_support::kSettings;
using testing_support::kUnknown;
using testing_support::kWindowUpdate;
using testing_support::post;
using testing_support::RawPeer;

class HostilePeerTest : public testing::Test {
 public:
  std::unique_ptr<RawPeer> connect(RawPeer::Reads reads = RawPeer::Reads::kAlways) {
    auto [ours, theirs] = make_stream_pair(simulation);
    server.serve(std::move(theirs));
    return std::make_unique<RawPeer>(simulation, std::move(ours), reads);
  }

  // A request for that path, as one more frame.
  static std::string get_path(std::uint32_t stream, const std::string& path) {
    std::string block(
        "\x82\x86\x01\x01"
        "a\x04",
        6);
    block.push_back(static_cast<char>(path.size()));
    return frame(kHeaders, kEndHeaders | kEndStream, stream, block + path);
  }

  static std::string reset(std::uint32_t stream, char code) {
    return frame(kResetStream, 0, stream, std::string("\0\0\0", 3) + code);
  }

  rt::Simulation simulation{1};
  testing_support::TestHandler handler{simulation};
  HttpServer server{simulation, handler, {}};
};

// The well-behaved one, so that the others are cut off for what they do.
TEST_F(HostilePeerTest, WhoDoesNothingWrongIsAnswered) {
  const auto peer = connect();
  peer->say(hello() + get(1) + post(3) + frame(kData, kEndStream, 3, "body"));
  simulation.run_for(minutes(1));
  EXPECT_FALSE(peer->is_cut_off());
  EXPECT_EQ(handler.asked, 2);
  EXPECT_EQ(server.counters().cut_malformed, 0U);
}

class RapidReset : public HostilePeerTest, public testing::WithParamInterface<char> {};

TEST_P(RapidReset, IsCutOff) {
  const auto peer = connect();
  std::string bytes = hello();
  for (std::uint32_t stream = 1; stream < 20'000; stream += 2) {
    bytes += get_path(stream, "/never") + reset(stream, GetParam());
  }
  peer->say(bytes);
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(server.counters().cut_malformed, 1U);
  EXPECT_LE(handler.asked, 1000);
  EXPECT_EQ(handler.gone, handler.asked);
}

// With the code that says "no error" it is the same.
INSTANTIATE_TEST_SUITE_P(Codes, RapidReset, testing::Values('\0', '\x08'));

// Streams that we have to reset for what the peer sends on them count as well.
TEST_F(HostilePeerTest, WhoHasUsResetItsStreamsIsCutOff) {
  const auto peer = connect();
  std::string bytes = hello();
  for (std::uint32_t stream = 1; stream < 20'000; stream += 2) {
    bytes +=
        get_path(stream, "/never") + frame(kWindowUpdate, 0, stream, std::string("\0\0\0\0", 4));
  }
  peer->say(bytes);
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_LE(handler.asked, 1000);
}

TEST_F(HostilePeerTest, MoreStreamsThanAllowedAreRefused) {
  const auto peer = connect();
  std::string bytes = hello();
  for (std::uint32_t stream = 1; stream < 1'000; stream += 2) {
    bytes += get_path(stream, "/never");
  }
  peer->say(bytes);
  simulation.run_for(seconds(5));
  EXPECT_LE(handler.asked, 100);
}

TEST_F(HostilePeerTest, ContinuationsWithoutEndAreCutOff) {
  const auto peer = connect();
  peer->say(hello() + frame(kHeaders, kEndStream, 1, testing_support::kGetBlock));
  peer->flood(frame(kContinuation, 0, 1, ""));
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_LT(peer->said(), 300'000U);
  EXPECT_EQ(server.counters().cut_malformed, 1U);
  EXPECT_EQ(handler.asked, 0);
}

TEST_F(HostilePeerTest, HeadersWithoutEndAreCutOff) {
  const auto peer = connect();
  peer->say(hello() + frame(kHeaders, kEndStream, 1, testing_support::kGetBlock));
  // "x: yyy..." as a literal that is not remembered.
  const std::string header = std::string("\x00\x01x\x7f\x81\x1e", 6) + std::string(4000, 'y');
  peer->flood(frame(kContinuation, 0, 1, header));
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_LT(peer->said(), 500'000U);
  EXPECT_EQ(handler.asked, 0);
}

TEST_F(HostilePeerTest, HeadersBeyondTheLimitAreRefused) {
  const auto peer = connect();
  const std::string header = std::string("\x00\x01x\x7f\xe1\x7c", 6) + std::string(16'096, 'y');
  peer->say(hello() + frame(kHeaders, kEndStream, 1, testing_support::kGetBlock) +
            frame(kContinuation, 0, 1, header) + frame(kContinuation, 0, 1, header) +
            frame(kContinuation, 0, 1, header) + frame(kContinuation, 0, 1, header) +
            frame(kContinuation, kEndHeaders, 1, header) + get(3));
  simulation.run_for(seconds(5));
  EXPECT_EQ(handler.asked, 1);  // the second
}

TEST_F(HostilePeerTest, AnHttp1HeadWithoutEndIsCutOff) {
  const auto peer = connect();
  peer->say("GET / HTTP/1.1\r\n");
  peer->flood("a: b\r\n");
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_TRUE(peer->has_heard("HTTP/1.1 431 "));
  EXPECT_LT(peer->said(), 300'000U);
}

// How long a peer may take for what it is expected to do.
struct Slow {
  std::string_view name;
  std::string at_once;
  std::string trickled;
  seconds is_there;
  seconds is_gone;
  std::string_view told;
};

class SlowPeer : public HostilePeerTest, public testing::WithParamInterface<Slow> {};

TEST_P(SlowPeer, IsCutOff) {
  const auto peer = connect();
  peer->say(GetParam().at_once);
  peer->trickle(GetParam().trickled, seconds(1));
  simulation.run_for(GetParam().is_there);
  EXPECT_FALSE(peer->is_cut_off());
  simulation.run_for(GetParam().is_gone - GetParam().is_there);
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_TRUE(peer->has_heard(GetParam().told));
  EXPECT_EQ(handler.asked, 0);
  simulation.run_for(seconds(2));
  EXPECT_EQ(server.connections(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SlowPeer,
    testing::Values(
        Slow{"Nothing", "", "", seconds(9), seconds(12), ""},
        Slow{"Preface", "", hello(), seconds(9), seconds(12), ""},
        Slow{"Http1Head",
             "",
             "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(1000, 'x'),
             seconds(9),
             seconds(12),
             "HTTP/1.1 408 "},
        Slow{"Http1Body",
             "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n",
             std::string(1000, 'x'),
             seconds(59),
             seconds(62),
             "HTTP/1.1 408 "},
        Slow{"Http1Chunks",
             "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n",
             std::string(1000, 'x'),
             seconds(59),
             seconds(62),
             "HTTP/1.1 408 "},
        Slow{"Http2Head",
             hello(),
             frame(kHeaders, kEndHeaders | kEndStream, 1, std::string(1000, '\0')).substr(0, 9) +
                 std::string(testing_support::kGetBlock) + std::string("\0\x7f\xff\x05", 4) +
                 std::string(900, 'x'),
             seconds(17),
             seconds(30),
             ""}),
    [](const auto& row) { return std::string(row.param.name); });

// One stream of several: the others go on.
TEST_F(HostilePeerTest, AnHttp2BodyThatDoesNotEndIsReset) {
  const auto peer = connect();
  peer->say(hello() + post(1) + frame(kData, 0, 1, "x"));
  for (int i = 0; i < 59; ++i) {
    peer->say(frame(kData, 0, 1, "x"));
    simulation.run_for(seconds(1));
  }
  EXPECT_EQ(server.counters().cut_slow, 0U);
  simulation.run_for(seconds(3));
  EXPECT_EQ(server.counters().cut_slow, 1U);
  EXPECT_TRUE(peer->has_heard(reset(1, '\x08')));
  peer->say(get(3));
  simulation.run_for(seconds(1));
  EXPECT_EQ(handler.asked, 1);
  EXPECT_FALSE(peer->is_cut_off());
}

TEST_F(HostilePeerTest, AnIdleHttp2ConnectionIsClosedWhateverItPings) {
  const auto peer = connect();
  peer->say(hello());
  for (int i = 0; i < 119; ++i) {
    peer->say(frame(kPing, 0, 0, std::string(8, 'p')));
    simulation.run_for(seconds(1));
  }
  EXPECT_FALSE(peer->is_cut_off());
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->is_cut_off());
}

TEST_F(HostilePeerTest, ASilentHttp2PeerIsAskedAndGivenUp) {
  const auto peer = connect();
  peer->say(hello() + get_path(1, "/never"));
  simulation.run_for(seconds(40));
  EXPECT_TRUE(peer->has_heard(frame(kPing, 0, 0, std::string(8, '\0'))));
  EXPECT_FALSE(peer->is_cut_off());
  simulation.run_for(seconds(10));
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_EQ(handler.gone, 1);
  EXPECT_EQ(server.counters().cut_silent, 1U);
}

// What is wrong in lengths, and what becomes of the connection.
struct Wrong {
  std::string_view name;
  std::string bytes;
  bool is_cut_off = true;
  std::string_view told = "";
};

class WrongLength : public HostilePeerTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongLength, NeverReachesAHandler) {
  const auto peer = connect();
  peer->say(GetParam().bytes);
  simulation.run_for(seconds(5));
  EXPECT_EQ(peer->is_cut_off(), GetParam().is_cut_off);
  EXPECT_TRUE(peer->has_heard(GetParam().told)) << peer->heard();
  EXPECT_EQ(handler.asked, 0);
}

const std::string kPost = "POST / HTTP/1.1\r\nHost: a\r\n";
// "content-length: 3", name by its number in the table.
const std::string kLength3(
    "\x0f\x0d\x01"
    "3",
    4);

INSTANTIATE_TEST_SUITE_P(
    Http1,
    WrongLength,
    testing::Values(
        Wrong{
            "TwoLengths", kPost + "Content-Length: 3\r\nContent-Length: 9\r\n\r\nabc", true, "400"},
        Wrong{"LengthAndChunks",
              kPost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
              true,
              "400"},
        Wrong{"ABadChunk",
              kPost + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
              true,
              "400"},
        Wrong{"AChunkOfAllBytesThereAre",
              kPost + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc",
              false},
        Wrong{
            "ALengthBeyondTheLimit", kPost + "Content-Length: 9999999999\r\n\r\nabc", true, "413"},
        Wrong{"ALengthThatIsNotReached", kPost + "Content-Length: 9\r\n\r\nabc", false},
        Wrong{"Garbage", "\x01\x02\x03\x04\r\n\r\n", true, "400"}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Http2,
    WrongLength,
    testing::Values(
        Wrong{
            "ABodyShorterThanItsLength",
            hello() +
                frame(
                    kHeaders, kEndHeaders, 1, std::string(testing_support::kPostBlock) + kLength3) +
                frame(kData, kEndStream, 1, "ab"),
            false},
        Wrong{
            "ABodyLongerThanItsLength",
            hello() +
                frame(
                    kHeaders, kEndHeaders, 1, std::string(testing_support::kPostBlock) + kLength3) +
                frame(kData, kEndStream, 1, "abcd"),
            false},
        Wrong{"AFrameLargerThanAllowed", hello() + frame(kData, 0, 1, std::string(20'000, 'x'))},
        Wrong{"ASettingCutShort", hello() + frame(kSettings, 0, 0, "12345")},
        Wrong{"APingOfSevenBytes", hello() + frame(kPing, 0, 0, "1234567")},
        Wrong{"AWindowOfThreeBytes", hello() + frame(kWindowUpdate, 0, 0, "123")},
        Wrong{"AResetOfThreeBytes", hello() + frame(kResetStream, 0, 1, "123")},
        Wrong{"MorePaddingThanFrame",
              hello() + frame(kHeaders, kEndHeaders | kEndStream | 8, 1, "\x7f\x82\x86\x84")},
        Wrong{"DataOfNoStream", hello() + frame(kData, 0, 0, "abc")},
        Wrong{"BrokenCompression",
              hello() + frame(kHeaders, kEndHeaders, 1, "\xff\xff\xff\xff\xff")},
        Wrong{"AStreamOfTheServers", hello() + get(2)}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(HostilePeerTest, WhoNeverReadsIsCutOff) {
  const auto peer = connect(RawPeer::Reads::kNever);
  std::string bytes = hello();
  for (std::uint32_t stream = 1; stream < 40; stream += 2) {
    bytes += get_path(stream, "/stream");
  }
  peer->say(bytes);
  simulation.run_for(seconds(25));
  EXPECT_EQ(server.connections(), 1U);
  // Each writer waits for room; nothing grows.
  EXPECT_LT(handler.pieces, 20U * 30U);
  simulation.run_for(seconds(20));
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(handler.gone, handler.asked);
}

TEST_F(HostilePeerTest, WhoNeverReadsHttp1IsCutOff) {
  const auto peer = connect(RawPeer::Reads::kNever);
  peer->say("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  simulation.run_for(seconds(25));
  EXPECT_EQ(server.connections(), 1U);
  simulation.run_for(seconds(20));
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(server.counters().cut_stalled, 1U);
}

// It reads what comes, but allows nothing to be sent on its streams.
TEST_F(HostilePeerTest, AClosedWindowHoldsNothingForEver) {
  const auto peer = connect();
  const std::string no_window("\0\x04\0\0\0\0", 6);
  peer->say(hello() + frame(kSettings, 0, 0, no_window) + get_path(1, "/stream"));
  simulation.run_for(seconds(28));
  EXPECT_LT(handler.pieces, 30U);
  EXPECT_EQ(handler.gone, 0);
  simulation.run_for(seconds(5));
  EXPECT_EQ(handler.gone, 1);
  EXPECT_EQ(server.counters().cut_stalled, 1U);
}

// One byte a second is not reading.
TEST_F(HostilePeerTest, AWindowOfOneByteASecondHoldsNothingForEver) {
  const auto peer = connect();
  const std::string no_window("\0\x04\0\0\0\0", 6);
  peer->say(hello() + frame(kSettings, 0, 0, no_window) + get_path(1, "/stream"));
  for (int i = 0; i < 40; ++i) {
    peer->say(frame(kWindowUpdate, 0, 1, std::string("\0\0\0\x01", 4)));
    simulation.run_for(seconds(1));
  }
  EXPECT_EQ(handler.gone, 1);
  EXPECT_EQ(server.counters().cut_stalled, 1U);
}

// Somebody who reads slowly, but reads, is served.
TEST_F(HostilePeerTest, WhoReadsSlowlyIsServed) {
  const auto peer = connect();
  const std::string no_window("\0\x04\0\0\0\0", 6);
  peer->say(hello() + frame(kSettings, 0, 0, no_window) + get_path(1, "/stream"));
  for (int i = 0; i < 120; ++i) {
    const std::string a_kilobyte("\0\0\x04\0", 4);
    peer->say(frame(kWindowUpdate, 0, 1, a_kilobyte) + frame(kWindowUpdate, 0, 0, a_kilobyte));
    simulation.run_for(seconds(1));
  }
  EXPECT_EQ(handler.gone, 0);
  EXPECT_GT(peer->heard().size(), 120'000U);
}

struct Flood {
  std::string_view name;
  std::string frame;
};

class FloodingPeer : public HostilePeerTest, public testing::WithParamInterface<Flood> {};

TEST_P(FloodingPeer, IsCutOff) {
  for (const auto reads : {RawPeer::Reads::kAlways, RawPeer::Reads::kNever}) {
    const auto peer = connect(reads);
    peer->say(hello() + post(1));
    peer->flood(GetParam().frame);
    simulation.run_for(seconds(60));
    EXPECT_TRUE(peer->is_cut_off());
    EXPECT_EQ(server.connections(), 0U);
    EXPECT_LT(peer->said(), 1'500'000U);
  }
  EXPECT_EQ(server.counters().cut_flooding + server.counters().cut_malformed, 2U);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    FloodingPeer,
    testing::Values(Flood{"Pings", frame(kPing, 0, 0, "12345678")},
                    Flood{"Settings", frame(kSettings, 0, 0, "")},
                    Flood{"Priorities", frame(kPriority, 0, 1, std::string("\0\0\0\0\x10", 5))},
                    Flood{"EmptyData", frame(kData, 0, 1, "")},
                    Flood{"Windows", frame(kWindowUpdate, 0, 0, std::string("\0\0\0\x01", 4))},
                    Flood{"UnknownFrames", frame(kUnknown, 0, 0, "whatever")}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(HostilePeerTest, RequestsSentFarAheadAreNotRead) {
  const auto peer = connect(RawPeer::Reads::kNever);
  peer->say("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
  peer->flood("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  simulation.run_for(seconds(60));
  EXPECT_LT(peer->said(), 300'000U);
  EXPECT_EQ(handler.asked, 1);
}

// Answers that nobody reads hold up the requests behind them.
TEST_F(HostilePeerTest, RequestsWithoutEndWhoseAnswersNobodyReadsAreCutOff) {
  const auto peer = connect(RawPeer::Reads::kNever);
  peer->flood("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  simulation.run_for(seconds(60));
  EXPECT_TRUE(peer->is_cut_off());
  EXPECT_LT(handler.asked, 5000);
}

// Each byte in a chunk of its own: more is spent on the lines between them than they are worth.
TEST_F(HostilePeerTest, ABodyOfNothingButChunkLinesIsCutOff) {
  const auto peer = connect();
  peer->say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  peer->flood("1\r\nx\r\n");
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->has_heard("HTTP/1.1 431 "));
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(handler.asked, 0);
}

// Windows that an answer needs are no flood, however small the steps.
TEST_F(HostilePeerTest, WhoReadsInSmallStepsIsServed) {
  const auto peer = connect();
  const std::string no_window("\0\x04\0\0\0\0", 6);
  peer->say(hello() + frame(kSettings, 0, 0, no_window) + get_path(1, "/stream"));
  const std::string two_kilobytes("\0\0\x08\0", 4);
  for (int i = 0; i < 5000; ++i) {
    peer->say(frame(kWindowUpdate, 0, 1, two_kilobytes) +
              frame(kWindowUpdate, 0, 0, two_kilobytes));
    simulation.run_for(milliseconds(1));
  }
  EXPECT_FALSE(peer->is_cut_off());
  EXPECT_GT(peer->heard().size(), 9'000'000U);
}

TEST_F(HostilePeerTest, ABodyWithoutEndIsRefusedAndStopped) {
  const auto peer = connect();
  peer->say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  peer->flood("400\r\n" + std::string(1024, 'x') + "\r\n");
  simulation.run_for(seconds(5));
  EXPECT_TRUE(peer->has_heard("HTTP/1.1 413 "));
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(handler.asked, 0);
}

}  // namespace
}  // namespace berth::net
