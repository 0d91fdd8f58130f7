// HTTP/2 as a state machine: bytes in, bytes out, and what they mean. It neither waits nor reads a
// clock, so any connection can be tried byte by byte.
//
// One class for both ends: what a client is told as responses a server is told as requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace berth::net {

using StreamId = std::int32_t;

// Why a stream ended early, as HTTP/2 numbers it.
enum class Reset : std::uint32_t {
  kNoError = 0,
  kProtocolError = 1,
  kInternalError = 2,
  kFlowControl = 3,
  kRefused = 7,  // not looked at: the request may be sent again
  kCancel = 8,
  kEnhanceYourCalm = 11,
};

struct Http2Limits {
  // Bytes of a body that the peer may send before they are consumed, of a stream and of all.
  std::uint32_t stream_window = 1 << 20;
  std::uint32_t connection_window = 16 << 20;
  std::uint32_t header_bytes_max = 64 * 1024;  // of one message, interim answers and trailers too
  std::uint32_t streams_max = 256;             // the peer may have open
  // Of a server: streams that may end early, reset by the peer or for what it sent, before it is
  // cut off, beyond one for each that was answered.
  std::uint32_t resets_max = 200;
};

class Http2Session {
 public:
  // What happens on the connection, told from within receive() and output(), neither of which may
  // be called from there.
  class Observer {
   public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    // Server. The head of a request has begun to arrive.
    virtual void on_begin(StreamId /*stream*/) {}
    virtual void on_request(StreamId /*stream*/, RequestHead /*head*/) {}
    virtual void on_response(StreamId /*stream*/, ResponseHead /*head*/) {}
    virtual void on_data(StreamId stream, std::string_view bytes) = 0;
    // The peer's message is complete.
    virtual void on_end(StreamId stream) = 0;
    // The stream is over before both sides were done with it.
    virtual void on_reset(StreamId stream, Reset why) = 0;
    // It is over, and both were.
    virtual void on_close(StreamId /*stream*/) {}
    // The peer takes no streams after `last`; what is newer was not looked at.
    virtual void on_goaway(StreamId last, Reset why, std::string_view text) = 0;
    virtual void on_pong() {}
  };

  enum class End : bool { kClient, kServer };

  Http2Session(End end, const Http2Limits& limits, Observer& observer);
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;
  ~Http2Session();

  // What came from the peer. After an error the connection is to be closed, once what output() has
  // left is sent: it tells the peer why.
  Result<void> receive(std::string_view bytes);
  // What is to be sent now, many frames in one piece; empty when there is nothing. At most about
  // `max` bytes.
  std::string output(std::size_t max);
  bool wants_output() const;
  // Neither side has anything to say any more. A peer that does not keep to the protocol is told so
  // first, by output().
  bool is_over() const;

  // Client. How many more streams the peer allows now.
  std::size_t free_streams() const;
  // An error when the peer allows no more streams, or none at all any more.
  Result<StreamId> request(const RequestHead& head, std::string body);

  // Server. The head of an answer, then its body in as many pieces as there are.
  void respond(StreamId stream, const ResponseHead& head);
  void send(StreamId stream, std::string_view bytes);
  void finish(StreamId stream);
  // Bytes of a body that send() took and the peer has not.
  std::size_t unsent(StreamId stream) const;

  // Either. The body may go on: so many bytes of it have been used.
  void consume(StreamId stream, std::size_t bytes);
  void reset(StreamId stream, Reset why);
  void ping();
  // No more streams; those that are open go on.
  void go_away();
  // No more of anything: the peer is told why, and that is all.
  void terminate(Reset why);
  // How many frames came that cost us something and bring nobody anything, as FrameCounter has
  // them. Whoever has a clock says how many are too many.
  std::uint64_t idle_frames() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::net
