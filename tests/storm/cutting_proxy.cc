#include "storm/cutting_proxy.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/byte_stream.h"
#include "net/tcp.h"
#include "rt/random.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"

namespace berth::tests {
namespace {

constexpr std::chrono::seconds kConnectMax{5};

}  // namespace

Result<std::unique_ptr<CuttingProxy>> CuttingProxy::open(rt::RealRuntime& runtime,
                                                         net::Endpoint server) {
  BERTH_TRY(std::unique_ptr<net::TcpListener> listener,
            net::TcpListener::open(runtime, {.host = "127.0.0.1"}));
  return std::unique_ptr<CuttingProxy>(
      new CuttingProxy(runtime, std::move(server), std::move(listener)));
}

CuttingProxy::CuttingProxy(rt::RealRuntime& runtime,
                           net::Endpoint server,
                           std::unique_ptr<net::TcpListener> listener)
    : runtime_(runtime),
      server_(std::move(server)),
      listener_(std::move(listener)),
      scope_(runtime, "a wire that can be cut") {
  scope_.spawn("accept", accept());
}

rt::Task<void> CuttingProxy::accept() {
  while (true) {
    auto client = co_await listener_->accept({.token = scope_.token()});
    if (!client) {
      co_return;
    }
    scope_.spawn("connect", connect(*std::move(client)));
  }
}

// A client whose server cannot be reached finds its connection closed.
rt::Task<void> CuttingProxy::connect(std::unique_ptr<net::ByteStream> client) {
  auto server = co_await net::connect_tcp(
      &runtime_, server_, {.token = scope_.token(), .deadline = runtime_.now() + kConnectMax});
  if (!server) {
    co_return;
  }
  auto line = std::make_shared<Line>(std::move(client), *std::move(server));
  std::erase_if(lines_, [](const std::weak_ptr<Line>& known) { return known.expired(); });
  lines_.push_back(line);
  scope_.spawn("to the server", pass_on(line, line->client.get(), line->server.get()));
  scope_.spawn("to the client", pass_on(line, line->server.get(), line->client.get()));
}

rt::Task<void> CuttingProxy::pass_on(std::shared_ptr<Line> line,
                                     net::ByteStream* from,
                                     net::ByteStream* to) {
  std::array<char, std::size_t{16} << 10U> buffer{};
  while (true) {
    // Without a deadline: a wire may be silent. Cutting it ends the wait.
    const auto count = co_await from->read(buffer, {});
    if (!count || *count == 0) {
      break;
    }
    const auto written = co_await to->write(std::string_view(buffer.data(), *count), {});
    if (!written) {
      break;
    }
  }
  line->cut();
}

std::size_t CuttingProxy::cut_some(rt::Random& random) {
  std::size_t cut = 0;
  for (const std::weak_ptr<Line>& known : lines_) {
    const std::shared_ptr<Line> line = known.lock();
    if (line != nullptr && random.one_in(2)) {
      line->cut();
      ++cut;
    }
  }
  return cut;
}

}  // namespace berth::tests
