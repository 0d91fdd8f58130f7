// A server of HTTP: many connections, either version, in the clear or with TLS.
//
//   class Hello final : public HttpHandler {
//     rt::Task<Result<void>> handle(ServerRequest request, ResponseWriter* writer) override {
//       writer->answer({.status = 200}, "hello\n");
//       co_return Result<void>();
//     }
//   };
//   HttpServer server(runtime, hello, {});
//   server.listen(*std::move(listener));
//   ...
//   co_await server.stop(runtime.now() + 10s);
//
// Requests come whole, bounded; answers go out whole or in pieces, and who writes them waits for
// who reads them. What peers may do is bounded in bytes, streams and time (ServerLimits); who goes
// beyond it is told where the protocol has words for it, and cut off.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/http.h"
#include "net/tls.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {

class ServerConnection;
struct ServerShared;
class TcpListener;

struct ServerRequest {
  RequestHead head;
  std::string body;
};

// The way back to who asked. Used by the handler's own coroutine, until it returns.
class ResponseWriter {
 public:
  ResponseWriter() = default;
  ResponseWriter(const ResponseWriter&) = delete;
  ResponseWriter& operator=(const ResponseWriter&) = delete;
  virtual ~ResponseWriter() = default;

  // The whole answer.
  virtual void answer(ResponseHead head, std::string_view body) = 0;
  // The head of an answer that comes in pieces and ends when the handler returns.
  virtual void begin(ResponseHead head) = 0;
  // The next piece, taken as soon as the peer has taken enough of those before. An error when
  // nobody waits for it any more.
  virtual rt::Task<Result<void>> write(std::string piece, rt::Until until) = 0;

  // Cancelled when nobody waits for the answer any more: the peer is gone or has given it up.
  virtual rt::CancelToken gone() = 0;
  // Cancelled when the server is to stop: for answers that would go on for ever.
  virtual rt::CancelToken stopping() = 0;
};

class HttpHandler {
 public:
  HttpHandler() = default;
  HttpHandler(const HttpHandler&) = delete;
  HttpHandler& operator=(const HttpHandler&) = delete;
  virtual ~HttpHandler() = default;

  // One coroutine a request, many beside each other. Returns soon after gone() is cancelled. An
  // error is logged; it becomes a 500, or the end of an answer that has begun, in a way that the
  // peer can tell from a complete one.
  virtual rt::Task<Result<void>> handle(ServerRequest request, ResponseWriter* writer) = 0;
};

struct ServerLimits {
  std::size_t connections_max = 1000;          // others are closed at once
  std::uint32_t streams_max = 100;             // requests of one connection, beside each other
  std::size_t header_bytes_max = 64UL * 1024;  // 431, or a reset
  std::size_t body_max = 3UL << 20U;           // of a request, as with an API server; 413
  std::size_t unanswered_max = 256UL << 20U;   // heads and bodies of all that wait for answers; 503
  std::size_t unsent_max = 256UL * 1024;       // of an answer: who writes it waits
  std::uint32_t resets_max = 200;              // see Http2Limits
  // Pings, settings and the like in any ten seconds.
  std::uint32_t idle_frames_max = 1000;

  rt::Duration handshake_max = std::chrono::seconds(10);  // TLS, or the first bytes in the clear
  rt::Duration head_max = std::chrono::seconds(10);       // of a request, from its first byte; 408
  rt::Duration request_max = std::chrono::seconds(60);    // with its body; 408, or a reset
  // A peer that takes next to nothing of what it is sent for so long.
  rt::Duration stall_max = std::chrono::seconds(30);
  rt::Duration idle_max = std::chrono::seconds(120);  // without a request
  // HTTP/2: a peer that has been silent for so long, while it waits for an answer, is asked whether
  // it is there, and given up when it does not answer in time.
  rt::Duration silence_max = std::chrono::seconds(30);
  rt::Duration pong_max = std::chrono::seconds(15);
  // After the last byte: so long may a peer take to read it and go.
  rt::Duration linger_max = std::chrono::seconds(1);
};

struct HttpServerOptions {
  ServerLimits limits;
  // Absent: in the clear. HTTP/2 or 1.1 as both agree; in the clear HTTP/2 is known by its preface.
  std::optional<TlsSource> tls;
  const Logger* log = nullptr;  // nullptr: nothing is logged
};

// What happened since the start.
struct ServerCounters {
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;  // beyond connections_max
  std::uint64_t handshakes_failed = 0;
  std::uint64_t requests = 0;          // that a handler was given
  std::uint64_t requests_refused = 0;  // too large, or too many
  std::uint64_t requests_failed = 0;   // by their handler
  std::uint64_t cut_malformed = 0;     // connections: not HTTP, or beyond a limit of it
  std::uint64_t cut_flooding = 0;      // connections: too many idle frames
  std::uint64_t cut_slow = 0;          // requests that did not arrive in time
  std::uint64_t cut_stalled = 0;       // answers that nobody read
  std::uint64_t cut_silent = 0;        // connections: no answer to a ping
};

class HttpServer {
 public:
  // `handler` outlives it.
  HttpServer(rt::Runtime& runtime, HttpHandler& handler, HttpServerOptions options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Serves what the listener accepts, until stop(). On the real runtime.
  void listen(std::unique_ptr<TcpListener> listener);
  // Serves one connection.
  void serve(std::unique_ptr<ByteStream> stream);

  // Takes no more connections and no more requests, waits for those under way until `deadline`, and
  // cuts off what is left then. Once.
  rt::Task<void> stop(rt::Time deadline);

  // Handshakes included.
  std::size_t connections() const;
  const ServerCounters& counters() const;

 private:
  struct Ready;
  class Counted;

  rt::Task<void> accept(std::unique_ptr<TcpListener> listener);
  rt::Task<void> serve_one(std::unique_ptr<ByteStream> stream, Counted counted);
  rt::Task<Result<Ready>> shake_hands(std::unique_ptr<ByteStream> stream);

  rt::Runtime& runtime_;
  HttpServerOptions options_;
  std::unique_ptr<ServerShared> shared_;
  std::size_t connections_ = 0;
  rt::WaitQueue changed_;
  rt::Scope scope_;
};

}  // namespace berth::net
