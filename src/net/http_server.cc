#include "net/http_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/connection.h"
#include "net/server_connection.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

// How a client that knows it begins HTTP/2 in the clear.
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// After an error of accept(), which is mostly that there are too many open files.
constexpr rt::Duration kAcceptPause = std::chrono::milliseconds(100);

// Nothing: it may become either.
std::optional<Protocol> protocol_of(std::string_view first) {
  const std::size_t size = std::min(first.size(), kPreface.size());
  if (first.substr(0, size) != kPreface.substr(0, size)) {
    return Protocol::kHttp1;
  }
  return size == kPreface.size() ? std::optional(Protocol::kHttp2) : std::nullopt;
}

}  // namespace

// A connection on which HTTP can be spoken.
struct HttpServer::Ready {
  std::unique_ptr<ByteStream> stream;
  Protocol protocol;
  std::string first;  // what was read already
};

// A connection counts from before its coroutine begins until that is gone, also when it is given
// up.
class HttpServer::Counted {
 public:
  explicit Counted(HttpServer& server) : server_(&server) { ++server.connections_; }
  Counted(Counted&& other) noexcept : server_(std::exchange(other.server_, nullptr)) {}
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (server_ != nullptr) {
      --server_->connections_;
      server_->changed_.notify_all();
    }
  }

 private:
  HttpServer* server_;
};

HttpServer::HttpServer(rt::Runtime& runtime, HttpHandler& handler, HttpServerOptions options)
    : runtime_(runtime),
      options_(std::move(options)),
      shared_(std::make_unique<ServerShared>(runtime, handler, options_)),
      changed_(runtime, "the last connection"),
      scope_(runtime, "http server") {}

HttpServer::~HttpServer() = default;

std::size_t HttpServer::connections() const {
  return connections_;
}

const ServerCounters& HttpServer::counters() const {
  return shared_->counters;
}

void HttpServer::listen(std::unique_ptr<TcpListener> listener) {
  scope_.spawn("listener", accept(std::move(listener)));
}

void HttpServer::serve(std::unique_ptr<ByteStream> stream) {
  if (shared_->stopping.is_cancelled()) {
    return;
  }
  if (connections_ >= options_.limits.connections_max) {
    ++shared_->counters.connections_refused;
    return;
  }
  scope_.spawn("connection", serve_one(std::move(stream), Counted(*this)));
}

rt::Task<void> HttpServer::accept(std::unique_ptr<TcpListener> listener) {
  const rt::Until until{.token = shared_->stopping.token()};
  while (true) {
    auto stream = co_await listener->accept(until);
    if (until.token.is_cancelled()) {
      co_return;
    }
    if (stream) {
      serve(*std::move(stream));
      continue;
    }
    if (options_.log != nullptr) {
      options_.log->warn("cannot accept a connection", {{"error", stream.error().text()}});
    }
    co_await sleep_for(runtime_, kAcceptPause, until.token);
  }
}

rt::Task<void> HttpServer::serve_one(std::unique_ptr<ByteStream> stream, Counted /*counted*/) {
  ++shared_->counters.connections;
  auto ready = co_await shake_hands(std::move(stream));
  if (!ready) {
    ++shared_->counters.handshakes_failed;
    if (options_.log != nullptr) {
      options_.log->debug("no HTTP connection", {{"error", ready.error().text()}});
    }
    co_return;
  }
  if (shared_->stopping.is_cancelled()) {
    co_return;
  }
  ServerConnection connection(
      *shared_, std::move(ready->stream), ready->protocol, std::move(ready->first), scope_.token());
  co_await connection.run();
}

rt::Task<Result<HttpServer::Ready>> HttpServer::shake_hands(std::unique_ptr<ByteStream> stream) {
  const rt::Until until{.token = shared_->stopping.token(),
                        .deadline = rt::after(runtime_.now(), options_.limits.handshake_max)};
  if (options_.tls) {
    auto context = (*options_.tls)();
    if (!context) {
      co_return std::move(context).error().in("the certificate of the server");
    }
    auto secured = co_await secure(&runtime_, std::move(stream), *std::move(context), "", until);
    if (!secured) {
      co_return std::move(secured).error();
    }
    const Protocol agreed = secured->protocol == "h2" ? Protocol::kHttp2 : Protocol::kHttp1;
    co_return Ready{.stream = std::move(secured->stream), .protocol = agreed};
  }
  Ready ready{.stream = std::move(stream)};
  std::array<char, kPreface.size()> buffer{};
  auto protocol = protocol_of(ready.first);
  while (!protocol) {
    const auto count = co_await ready.stream->read(buffer, until);
    if (!count) {
      co_return count.error();
    }
    if (*count == 0) {
      co_return Error(ErrorCode::kUnavailable, "the peer ended the connection");
    }
    ready.first.append(buffer.data(), *count);
    protocol = protocol_of(ready.first);
  }
  ready.protocol = *protocol;
  co_return std::move(ready);
}

rt::Task<void> HttpServer::stop(rt::Time deadline) {
  shared_->stopping.cancel();
  for (const auto& [number, connection] : shared_->open) {
    connection->stop();
  }
  while (connections_ > 0) {
    const rt::Wake wake = co_await changed_.wait({.deadline = deadline});
    if (wake != rt::Wake::kNotified) {
      break;
    }
  }
  scope_.cancel();
  co_await scope_.drain();
}

}  // namespace berth::net
