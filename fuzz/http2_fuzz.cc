// HTTP/2 as a server and as a client. The first byte chooses which, whether the peer begins as it
// should, and into what pieces the rest is cut; how it is cut must not matter.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "input.h"
#include "net/http.h"
#include "net/http2_session.h"

using berth::fuzz::require;
using berth::net::Header;
using berth::net::Http2Session;
using berth::net::RequestHead;
using berth::net::Reset;
using berth::net::ResponseHead;
using berth::net::StreamId;

namespace {

constexpr std::size_t kOutputMax = 1UL << 20U;
constexpr std::size_t kHeaderBytesMax = 2000;
constexpr std::uint32_t kWindow = 1000;
// The preface, settings, and that ours have been seen.
constexpr std::string_view kHello(
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\0\x04\x01\0\0\0\0", 42);

struct Stream {
  std::string head;  // printed
  std::string body;
  bool has_head = false;
  bool has_ended = false;
  bool is_over = false;
  bool is_reset = false;

  bool operator==(const Stream&) const = default;
};

// Keeps what it is told and checks that it is told in order.
class Log final : public Http2Session::Observer {
 public:
  explicit Log(bool is_server) : is_server_(is_server) {}

  void on_begin(StreamId id) override {
    require(is_server_ && id % 2 == 1, "requests come on streams of the client's");
    require(!streams.contains(id), "a stream begins once");
    streams[id];
    open_most = std::max(open_most, ++open);
  }
  void on_request(StreamId id, RequestHead head) override {
    Stream& stream = get(id);
    require(is_server_ && !stream.has_head, "a request has one head");
    stream.has_head = true;
    stream.head = head.method + " " + head.path + " " + head.authority;
    add(stream, head.headers);
  }
  void on_response(StreamId id, ResponseHead head) override {
    Stream& stream = get(id);
    require(!is_server_ && !stream.has_head, "an answer has one head");
    require(head.status >= 200, "interim answers are not told");
    stream.has_head = true;
    stream.head = std::to_string(head.status);
    add(stream, head.headers);
  }
  void on_data(StreamId id, std::string_view bytes) override {
    Stream& stream = get(id);
    require(stream.has_head && !stream.has_ended, "a body is between its head and its end");
    stream.body += bytes;
  }
  void on_end(StreamId id) override {
    Stream& stream = get(id);
    require(stream.has_head && !stream.has_ended, "a message has a head and one end");
    stream.has_ended = true;
    ended.push_back(id);
  }
  void on_reset(StreamId id, Reset /*why*/) override {
    get(id).is_reset = true;
    finish(id);
  }
  void on_close(StreamId id) override { finish(id); }
  void on_goaway(StreamId /*last*/, Reset /*why*/, std::string_view /*text*/) override {}

  // A client opens its streams itself.
  void opened(StreamId id) {
    streams[id];
    ++open;
  }

  std::map<StreamId, Stream> streams;
  std::vector<StreamId> ended;
  std::size_t open = 0;
  std::size_t open_most = 0;

 private:
  Stream& get(StreamId id) {
    const auto found = streams.find(id);
    require(found != streams.end() && !found->second.is_over, "only open streams are told of");
    return found->second;
  }
  void finish(StreamId id) {
    get(id).is_over = true;
    --open;
  }
  static void add(Stream& stream, const berth::net::Headers& headers) {
    std::size_t bytes = 0;
    for (const Header& header : headers) {
      bytes += header.name.size() + header.value.size();
      stream.head += "\n" + header.name + ": " + header.value;
      require(!header.name.empty() && header.name[0] != ':', "a header is none of HTTP/2's own");
    }
    require(bytes <= kHeaderBytesMax, "a head is bounded");
  }

  bool is_server_;
};

struct Outcome {
  std::map<StreamId, Stream> streams;
  bool is_alive = true;

  bool operator==(const Outcome&) const = default;
};

Outcome run(std::string_view bytes, std::size_t piece, bool is_server) {
  constexpr std::uint32_t kStreamsMax = 8;
  Log log(is_server);
  Http2Session session(
      is_server ? Http2Session::End::kServer : Http2Session::End::kClient,
      {.stream_window = kWindow, .header_bytes_max = kHeaderBytesMax, .streams_max = kStreamsMax},
      log);
  if (!is_server) {
    for (int i = 0; i < 3; ++i) {
      const auto stream = session.request(
          {.method = "POST", .scheme = "http", .authority = "a", .path = "/"}, "body");
      require(stream.has_value(), "a new connection takes requests");
      log.opened(*stream);
    }
  }
  session.output(kOutputMax);
  Outcome outcome;
  for (std::size_t at = 0; at < bytes.size() && outcome.is_alive; at += piece) {
    outcome.is_alive = session.receive(bytes.substr(at, piece)).has_value();
  }
  require(log.open_most <= kStreamsMax, "no more streams are open than were allowed");
  session.output(kOutputMax);  // with it streams end that went wrong
  outcome.is_alive = outcome.is_alive && !session.is_over();
  outcome.streams = log.streams;
  // How much of a body arrives before it turns out to be wrong, and which of several errors is
  // told, is a matter of luck.
  for (auto& [id, stream] : outcome.streams) {
    if (!stream.has_ended) {
      stream = {.head = std::move(stream.head), .has_head = stream.has_head};
    }
  }
  // Whatever state it is in, it answers what it can and comes to rest.
  for (const StreamId id : is_server ? log.ended : std::vector<StreamId>()) {
    session.respond(id, {.status = 200, .headers = {{"x", "y"}}});
    session.send(id, log.streams[id].body);
    session.finish(id);
  }
  for (int i = 0; i < 10 && session.wants_output(); ++i) {
    session.output(kOutputMax);
  }
  require(!session.wants_output(), "what there is to say comes to an end");
  session.go_away();
  session.output(kOutputMax);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const bool is_server = (data[0] & 1U) != 0;
  const bool is_polite = (data[0] & 2U) != 0;
  const std::size_t piece = 1 + (data[0] >> 2U);
  std::string bytes(is_server && is_polite ? kHello : std::string_view());
  bytes.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = run(bytes, bytes.size() + 1, is_server);
  const Outcome pieces = run(bytes, piece, is_server);
  // On its way to an end nghttp2 1.52 does mind: it counts a CONTINUATION again for each piece in
  // which its first bytes arrive, and after a GOAWAY it looks at no further piece.
  require(!whole.is_alive || !pieces.is_alive || whole == pieces, "the cuts change nothing");
  return 0;
}
