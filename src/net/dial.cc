#include "net/dial.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/connection_pool.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

struct Server {
  Endpoint endpoint;
  std::optional<TlsSource> tls;
  std::string name;
};

rt::Task<Result<std::unique_ptr<ByteStream>>> dial(rt::RealRuntime* runtime,
                                                   std::shared_ptr<const Server> server,
                                                   rt::Until until) {
  auto stream = co_await connect_tcp(runtime, server->endpoint, until);
  if (!stream || !server->tls) {
    co_return std::move(stream);
  }
  auto context = (*server->tls)();
  if (!context) {
    co_return std::move(context).error();
  }
  auto secured = co_await secure(runtime, *std::move(stream), *context, server->name, until);
  if (!secured) {
    co_return std::move(secured).error().in("connecting to " + server->endpoint.text());
  }
  if (secured->protocol != "h2") {
    co_return Error(ErrorCode::kInvalid, "the server does not speak HTTP/2")
        .in("connecting to " + server->endpoint.text());
  }
  co_return std::move(secured->stream);
}

}  // namespace

Dial dial_server(rt::RealRuntime& runtime,
                 Endpoint endpoint,
                 std::optional<TlsSource> tls,
                 std::string server_name) {
  auto server = std::make_shared<const Server>(
      Server{std::move(endpoint), std::move(tls), std::move(server_name)});
  return [&runtime, server](rt::Until until) { return dial(&runtime, server, until); };
}

}  // namespace berth::net
