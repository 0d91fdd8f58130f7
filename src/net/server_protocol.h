// What a server's connection needs of a version of HTTP: bytes in, bytes out, and requests by the
// number of their stream. HTTP/1.1 has one stream at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/connection.h"
#include "net/http.h"
#include "net/http2_session.h"

namespace berth::net {

struct ProtocolLimits {
  std::size_t header_bytes_max;
  std::uint32_t streams_max;
  std::uint32_t resets_max;
};

class ServerProtocol {
 public:
  // Told from within receive() and output(), neither of which may be called from there.
  class Observer {
   public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    // A request begins to arrive; its head, its body and its end follow.
    virtual void on_begin(StreamId stream) = 0;
    virtual void on_request(StreamId stream, RequestHead head) = 0;
    virtual void on_data(StreamId stream, std::string_view bytes) = 0;
    virtual void on_end(StreamId stream) = 0;
    // Request and answer are done with, or nobody waits for the answer any more.
    virtual void on_close(StreamId stream) = 0;
    virtual void on_reset(StreamId stream) = 0;
  };

  ServerProtocol() = default;
  ServerProtocol(const ServerProtocol&) = delete;
  ServerProtocol& operator=(const ServerProtocol&) = delete;
  virtual ~ServerProtocol() = default;

  // After an error the connection is to be closed, once what output() has left is sent.
  virtual Result<void> receive(std::string_view bytes) = 0;
  virtual bool wants_input() const = 0;
  virtual std::string output(std::size_t max) = 0;
  virtual bool is_over() const = 0;

  virtual void respond(StreamId stream, const ResponseHead& head) = 0;
  virtual void send(StreamId stream, std::string_view bytes) = 0;
  virtual void finish(StreamId stream) = 0;
  // Bytes that were sent and that output() has not given yet.
  virtual std::size_t unsent(StreamId stream) const = 0;
  // The answer stays incomplete, in a way that the peer can see.
  virtual void break_off(StreamId stream) = 0;
  // The request was not looked at.
  virtual void refuse(StreamId stream) = 0;
  // It was answered; what is left of it is of no use.
  virtual void stop_request(StreamId stream) = 0;
  // It takes too long to arrive, and was not answered. A head that does not end holds up all.
  virtual void time_out(StreamId stream, bool has_head) = 0;

  // No more requests; those under way go on.
  virtual void close_when_idle() = 0;
  // Nothing more at all. The peer is told so, if the protocol has a way.
  virtual void terminate() = 0;
  // Asks whether the peer is there; false where there is no way to ask.
  virtual bool ping() = 0;
  // Frames so far that bring nobody anything.
  virtual std::uint64_t idle_frames() const = 0;
};

std::unique_ptr<ServerProtocol> make_server_protocol(Protocol protocol,
                                                     const ProtocolLimits& limits,
                                                     ServerProtocol::Observer& observer);

}  // namespace berth::net
