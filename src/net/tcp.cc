#include "net/tcp.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/failure.h"
#include "net/wake_error.h"
#include "rt/event.h"
#include "rt/reactor.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string_view reason_of(const error_code& error) {
  if (error == asio::error::connection_refused) {
    return failure::kConnectionRefused;
  }
  if (error == asio::error::host_unreachable || error == asio::error::network_unreachable) {
    return failure::kNoRoute;
  }
  const bool is_name = error == asio::error::host_not_found ||
                       error == asio::error::host_not_found_try_again ||
                       error == asio::error::no_data;
  return is_name ? failure::kNameNotFound : std::string_view();
}

Error unavailable(const error_code& error) {
  return Error(ErrorCode::kUnavailable, error.message()).with_reason(reason_of(error));
}

// So many reads, writes or accepts in a row need not wait; then it is the turn of others. A peer
// that sends faster than we read would keep everybody waiting otherwise, timers and signals too.
constexpr int kInARowMax = 16;

// A socket and who waits for it. Asio's handlers keep it alive, for they come late.
struct Socket {
  explicit Socket(rt::RealRuntime& runtime)
      : socket(runtime.context()),
        readable(runtime, "a socket to become readable"),
        writable(runtime, "a socket to become writable") {}

  void close() {
    error_code ignored;
    socket.close(ignored);
    readable.notify_all();
    writable.notify_all();
  }

  tcp::socket socket;
  int reads = 0;  // since the last wait
  int writes = 0;
  bool waits_to_read = false;
  bool waits_to_write = false;
  rt::WaitQueue readable;
  rt::WaitQueue writable;
};

// Goes through Asio's queue, also when there is something to read already.
rt::Wait wait_readable(const std::shared_ptr<Socket>& state, const rt::Until& until) {
  state->reads = 0;
  if (!std::exchange(state->waits_to_read, true)) {
    state->socket.async_wait(tcp::socket::wait_read, [state](const error_code& /*error*/) {
      state->waits_to_read = false;
      state->readable.notify_all();
    });
  }
  return state->readable.wait(until);
}

rt::Wait wait_writable(const std::shared_ptr<Socket>& state, const rt::Until& until) {
  state->writes = 0;
  if (!std::exchange(state->waits_to_write, true)) {
    state->socket.async_wait(tcp::socket::wait_write, [state](const error_code& /*error*/) {
      state->waits_to_write = false;
      state->writable.notify_all();
    });
  }
  return state->writable.wait(until);
}

bool must_wait(const error_code& error) {
  return error == asio::error::would_block || error == asio::error::try_again;
}

class TcpStream final : public ByteStream {
 public:
  explicit TcpStream(std::shared_ptr<Socket> state) : state_(std::move(state)) {}
  ~TcpStream() override { state_->close(); }

  rt::Task<Result<std::size_t>> read(std::span<char> buffer, rt::Until until) override {
    while (true) {
      error_code error = asio::error::would_block;
      std::size_t count = 0;
      if (state_->reads++ < kInARowMax) {
        count = state_->socket.read_some(asio::buffer(buffer.data(), buffer.size()), error);
      }
      if (!error) {
        co_return count;
      }
      if (error == asio::error::eof) {
        co_return std::size_t{0};
      }
      if (!must_wait(error)) {
        co_return unavailable(error);
      }
      const rt::Wake wake = co_await wait_readable(state_, until);
      if (wake != rt::Wake::kNotified) {
        co_return error_of(wake);
      }
    }
  }

  rt::Task<Result<void>> write(std::string_view bytes, rt::Until until) override {
    while (!bytes.empty()) {
      error_code error = asio::error::would_block;
      std::size_t count = 0;
      if (state_->writes++ < kInARowMax) {
        count = state_->socket.write_some(asio::buffer(bytes.data(), bytes.size()), error);
      }
      if (!error) {
        bytes.remove_prefix(count);
        continue;
      }
      if (!must_wait(error)) {
        co_return unavailable(error);
      }
      const rt::Wake wake = co_await wait_writable(state_, until);
      if (wake != rt::Wake::kNotified) {
        co_return error_of(wake);
      }
    }
    co_return Result<void>();
  }

  rt::Task<Result<void>> end(rt::Until /*until*/) override {
    error_code error;
    state_->socket.shutdown(tcp::socket::shutdown_send, error);
    co_return error ? Result<void>(unavailable(error)) : Result<void>();
  }

  void close() override { state_->close(); }

 private:
  std::shared_ptr<Socket> state_;
};

// A peer that has vanished is found by the kernel, where the protocol cannot ask: as soon as HTTP/2
// would find it.
void ask_when_silent(tcp::socket& socket) {
  // NOLINTBEGIN(misc-include-cleaner): <netinet/tcp.h> and <sys/socket.h> are their headers
  const auto set = [&socket](int level, int option, int value) {
    ::setsockopt(socket.native_handle(), level, option, &value, sizeof value);
  };
  constexpr int kIdleSeconds = 30;
  constexpr int kPauseSeconds = 5;
  constexpr int kTimes = 3;
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kPauseSeconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, kTimes);
  // NOLINTEND(misc-include-cleaner)
}

error_code prepare(tcp::socket& socket) {
  error_code error;
  socket.non_blocking(true, error);
  if (!error) {
    // Small messages go out at once: whoever writes has gathered what belongs together.
    socket.set_option(tcp::no_delay(true), error);
  }
  ask_when_silent(socket);
  return error;
}

// The addresses of a host, asked for on a thread of Asio's.
rt::Task<Result<std::vector<tcp::endpoint>>> resolve(rt::RealRuntime* runtime,
                                                     const Endpoint* endpoint,
                                                     rt::Until until) {
  error_code is_no_address;
  const auto address = asio::ip::make_address(endpoint->host, is_no_address);
  if (!is_no_address) {
    co_return std::vector<tcp::endpoint>{{address, endpoint->port}};
  }
  // As RFC 6761 wants it: nobody is asked, whatever the machine's files say.
  if (endpoint->host == "localhost") {
    co_return std::vector<tcp::endpoint>{{asio::ip::address_v4::loopback(), endpoint->port},
                                         {asio::ip::address_v6::loopback(), endpoint->port}};
  }
  struct Answer {
    explicit Answer(rt::RealRuntime& runtime)
        : resolver(runtime.context()), done(runtime, "the addresses of a host") {}
    tcp::resolver resolver;
    error_code error;
    std::vector<tcp::endpoint> addresses;
    rt::Event done;
  };
  auto answer = std::make_shared<Answer>(*runtime);
  const std::string port = std::to_string(endpoint->port);
  answer->resolver.async_resolve(
      endpoint->host,
      port,
      [answer](const error_code& error, const tcp::resolver::results_type& found) {
        answer->error = error;
        answer->addresses.assign(found.begin(), found.end());
        answer->done.set();
      });
  const rt::Wake wake = co_await answer->done.wait(until);
  if (wake != rt::Wake::kNotified) {
    answer->resolver.cancel();
    co_return error_of(wake);
  }
  if (answer->error) {
    co_return unavailable(answer->error).in("looking up the name");
  }
  co_return std::move(answer->addresses);
}

rt::Task<Result<std::unique_ptr<ByteStream>>> connect_to(rt::RealRuntime* runtime,
                                                         tcp::endpoint address,
                                                         rt::Until until) {
  auto state = std::make_shared<Socket>(*runtime);
  error_code error;
  state->socket.open(address.protocol(), error);
  if (!error) {
    error = prepare(state->socket);
  }
  if (error) {
    co_return unavailable(error);
  }
  state->socket.connect(address, error);
  if (must_wait(error) || error == asio::error::in_progress) {
    const rt::Wake wake = co_await wait_writable(state, until);
    if (wake != rt::Wake::kNotified) {
      state->close();
      co_return error_of(wake);
    }
    // NOLINTBEGIN(misc-include-cleaner): <sys/socket.h> is the header of all of these
    int code = 0;
    socklen_t size = sizeof code;
    ::getsockopt(state->socket.native_handle(), SOL_SOCKET, SO_ERROR, &code, &size);
    // NOLINTEND(misc-include-cleaner)
    error = error_code(code, boost::system::system_category());
  }
  if (error) {
    state->close();
    co_return unavailable(error);
  }
  co_return std::unique_ptr<ByteStream>(std::make_unique<TcpStream>(state));
}

}  // namespace

std::string Endpoint::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

rt::Task<Result<std::unique_ptr<ByteStream>>> connect_tcp(rt::RealRuntime* runtime,
                                                          Endpoint endpoint,
                                                          rt::Until until) {
  const std::string where = "connecting to " + endpoint.text();
  auto addresses = co_await resolve(runtime, &endpoint, until);
  if (!addresses) {
    co_return std::move(addresses).error().in(where);
  }
  Error last(ErrorCode::kUnavailable, "the name has no address");
  for (const tcp::endpoint& address : *addresses) {
    auto stream = co_await connect_to(runtime, address, until);
    if (stream) {
      co_return std::move(stream);
    }
    last = std::move(stream).error();
    if (last.code() != ErrorCode::kUnavailable) {
      break;
    }
  }
  co_return std::move(last).in(where);
}

struct TcpListener::State {
  explicit State(rt::RealRuntime& on)
      : runtime(on), acceptor(on.context()), acceptable(on, "a connection to accept") {}

  rt::RealRuntime& runtime;
  tcp::acceptor acceptor;
  int accepts = 0;  // since the last wait
  bool waits = false;
  rt::WaitQueue acceptable;
};

TcpListener::TcpListener(std::shared_ptr<State> state) : state_(std::move(state)) {}

TcpListener::~TcpListener() {
  error_code ignored;
  state_->acceptor.close(ignored);
  state_->acceptable.notify_all();
}

Result<std::unique_ptr<TcpListener>> TcpListener::open(rt::RealRuntime& runtime,
                                                       const Endpoint& endpoint) {
  auto state = std::make_shared<State>(runtime);
  error_code error;
  const auto address = asio::ip::make_address(endpoint.host, error);
  if (error) {
    return Error(ErrorCode::kInvalid, "not an address: " + endpoint.host);
  }
  const tcp::endpoint local(address, endpoint.port);
  state->acceptor.open(local.protocol(), error);
  if (!error) {
    state->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  }
  if (!error) {
    state->acceptor.bind(local, error);
  }
  if (!error) {
    state->acceptor.listen(asio::socket_base::max_listen_connections, error);
  }
  if (!error) {
    state->acceptor.non_blocking(true, error);
  }
  if (error) {
    return unavailable(error).in("listening on " + endpoint.text());
  }
  return std::unique_ptr<TcpListener>(new TcpListener(std::move(state)));
}

std::uint16_t TcpListener::port() const {
  error_code ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

rt::Task<Result<std::unique_ptr<ByteStream>>> TcpListener::accept(rt::Until until) {
  const auto state = state_;
  while (true) {
    auto accepted = std::make_shared<Socket>(state->runtime);
    error_code error = asio::error::would_block;
    if (state->accepts++ < kInARowMax) {
      state->acceptor.accept(accepted->socket, error);
    }
    if (!error) {
      error = prepare(accepted->socket);
    }
    if (!error) {
      co_return std::unique_ptr<ByteStream>(std::make_unique<TcpStream>(accepted));
    }
    if (!must_wait(error)) {
      co_return unavailable(error).in("accepting a connection");
    }
    state->accepts = 0;
    if (!std::exchange(state->waits, true)) {
      state->acceptor.async_wait(tcp::acceptor::wait_read, [state](const error_code& /*error*/) {
        state->waits = false;
        state->acceptable.notify_all();
      });
    }
    const rt::Wake wake = co_await state->acceptable.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return error_of(wake);
    }
  }
}

}  // namespace berth::net
