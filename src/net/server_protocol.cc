#include "net/server_protocol.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "net/connection.h"
#include "net/http.h"
#include "net/http1_session.h"
#include "net/http2_session.h"

namespace berth::net {
namespace {

class Http2Protocol final : public ServerProtocol, private Http2Session::Observer {
 public:
  Http2Protocol(const ProtocolLimits& limits, ServerProtocol::Observer& observer)
      : observer_(observer), session_(Http2Session::End::kServer, limits_of(limits), *this) {}

  Result<void> receive(std::string_view bytes) override { return session_.receive(bytes); }
  bool wants_input() const override { return true; }  // streams have windows
  std::string output(std::size_t max) override { return session_.output(max); }
  bool is_over() const override { return session_.is_over(); }

  void respond(StreamId stream, const ResponseHead& head) override {
    session_.respond(stream, head);
  }
  void send(StreamId stream, std::string_view bytes) override { session_.send(stream, bytes); }
  void finish(StreamId stream) override { session_.finish(stream); }
  std::size_t unsent(StreamId stream) const override { return session_.unsent(stream); }
  void break_off(StreamId stream) override { session_.reset(stream, Reset::kInternalError); }
  void refuse(StreamId stream) override { session_.reset(stream, Reset::kRefused); }
  void stop_request(StreamId stream) override { session_.reset(stream, Reset::kNoError); }
  void time_out(StreamId stream, bool has_head) override {
    if (has_head) {
      session_.reset(stream, Reset::kCancel);
    } else {
      terminate();
    }
  }

  void close_when_idle() override { session_.go_away(); }
  void terminate() override { session_.terminate(Reset::kEnhanceYourCalm); }
  bool ping() override {
    session_.ping();
    return true;
  }
  std::uint64_t idle_frames() const override { return session_.idle_frames(); }

 private:
  static Http2Limits limits_of(const ProtocolLimits& limits) {
    return {.header_bytes_max = static_cast<std::uint32_t>(limits.header_bytes_max),
            .streams_max = limits.streams_max,
            .resets_max = limits.resets_max};
  }

  void on_begin(StreamId stream) override { observer_.on_begin(stream); }
  void on_request(StreamId stream, RequestHead head) override {
    observer_.on_request(stream, std::move(head));
  }
  void on_data(StreamId stream, std::string_view bytes) override {
    session_.consume(stream, bytes.size());  // whoever gets it bounds it
    observer_.on_data(stream, bytes);
  }
  void on_end(StreamId stream) override { observer_.on_end(stream); }
  void on_close(StreamId stream) override { observer_.on_close(stream); }
  void on_reset(StreamId stream, Reset /*why*/) override { observer_.on_reset(stream); }
  // A client that takes no more streams opens none of its own either, or it does; both is well.
  void on_goaway(StreamId /*last*/, Reset /*why*/, std::string_view /*text*/) override {}

  ServerProtocol::Observer& observer_;
  Http2Session session_;
};

class Http1Protocol final : public ServerProtocol, private Http1Session::Observer {
 public:
  Http1Protocol(const ProtocolLimits& limits, ServerProtocol::Observer& observer)
      : observer_(observer),
        session_(Http1Session::End::kServer, {.header_bytes_max = limits.header_bytes_max}, *this) {
  }

  Result<void> receive(std::string_view bytes) override { return session_.receive(bytes); }
  bool wants_input() const override { return session_.wants_input(); }
  std::string output(std::size_t max) override { return session_.output(max); }
  bool is_over() const override { return session_.is_over(); }

  // Whoever still answers a stream that is gone does not answer the next one with it.
  void respond(StreamId stream, const ResponseHead& head) override {
    if (stream == stream_) {
      session_.respond(head);
    }
  }
  void send(StreamId stream, std::string_view bytes) override {
    if (stream == stream_) {
      session_.send(bytes);
    }
  }
  void finish(StreamId stream) override {
    if (stream == stream_) {
      session_.finish();
    }
  }
  std::size_t unsent(StreamId stream) const override {
    return stream == stream_ ? session_.unsent() : 0;
  }
  void break_off(StreamId /*stream*/) override { session_.break_off(); }
  void refuse(StreamId /*stream*/) override { session_.break_off(); }
  void stop_request(StreamId /*stream*/) override {}  // the connection ends with its answer
  void time_out(StreamId stream, bool /*has_head*/) override {
    constexpr int kRequestTimeout = 408;
    respond(stream, {.status = kRequestTimeout, .headers = {{"content-length", "0"}}});
    finish(stream);
  }

  void close_when_idle() override { session_.close_when_idle(); }
  void terminate() override { session_.break_off(); }
  bool ping() override { return false; }
  std::uint64_t idle_frames() const override { return 0; }

 private:
  void on_begin() override { observer_.on_begin(++stream_); }
  void on_request(RequestHead head) override { observer_.on_request(stream_, std::move(head)); }
  void on_data(std::string_view bytes) override { observer_.on_data(stream_, bytes); }
  void on_end() override { observer_.on_end(stream_); }
  void on_close() override { observer_.on_close(stream_); }

  ServerProtocol::Observer& observer_;
  StreamId stream_ = 0;
  Http1Session session_;
};

}  // namespace

std::unique_ptr<ServerProtocol> make_server_protocol(Protocol protocol,
                                                     const ProtocolLimits& limits,
                                                     ServerProtocol::Observer& observer) {
  if (protocol == Protocol::kHttp2) {
    return std::make_unique<Http2Protocol>(limits, observer);
  }
  return std::make_unique<Http1Protocol>(limits, observer);
}

}  // namespace berth::net
