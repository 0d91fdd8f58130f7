#include "net/dial.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "net/connection.h"
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
  Protocol in_the_clear;
};

rt::Task<Result<Dialled>> dial(rt::RealRuntime* runtime,
                               std::shared_ptr<const Server> server,
                               rt::Until until) {
  auto stream = co_await connect_tcp(runtime, server->endpoint, until);
  if (!stream) {
    co_return std::move(stream).error();
  }
  if (!server->tls) {
    co_return Dialled{*std::move(stream), server->in_the_clear};
  }
  auto context = (*server->tls)();
  if (!context) {
    co_return std::move(context).error();
  }
  auto secured = co_await secure(runtime, *std::move(stream), *context, server->name, until);
  if (!secured) {
    co_return std::move(secured).error().in("connecting to " + server->endpoint.text());
  }
  // A server that agrees on nothing knows of nothing newer.
  const Protocol protocol = secured->protocol == "h2" ? Protocol::kHttp2 : Protocol::kHttp1;
  co_return Dialled{std::move(secured->stream), protocol};
}

}  // namespace

Dial dial_server(rt::RealRuntime& runtime,
                 Endpoint endpoint,
                 std::optional<TlsSource> tls,
                 std::string server_name,
                 Protocol in_the_clear) {
  auto server = std::make_shared<const Server>(
      Server{std::move(endpoint), std::move(tls), std::move(server_name), in_the_clear});
  return [&runtime, server](rt::Until until) { return dial(&runtime, server, until); };
}

}  // namespace berth::net
