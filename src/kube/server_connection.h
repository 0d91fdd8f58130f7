// A server, from its configuration to a Client: credentials, TLS, connections.
//
//   auto config = config::find_config(choice, surroundings);
//   ServerConnection server(*std::move(config), parts, {});
//   auto pod = co_await server.client().get(...);
//   if (!pod) {
//     err << server.explain(pod.error());
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "kube/config/credentials.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"
#include "kube/http/http_client.h"
#include "net/connection_pool.h"
#include "net/dial.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "rt/programs.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// How connections are made: net::dial_server of a real runtime.
using DialServer = std::function<net::Dial(
    net::Endpoint endpoint, std::optional<net::TlsSource> tls, std::string server_name)>;

// What a connection needs of its process. All of it outlives the connection.
struct ServerParts {
  rt::Runtime& runtime;
  rt::Programs& programs;
  const config::Surroundings& surroundings;
  DialServer dial;
};

class ServerConnection {
 public:
  // Connects when there is something to ask.
  ServerConnection(config::ServerConfig config,
                   const ServerParts& parts,
                   const net::PoolOptions& pool_options);
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  http::HttpClient& client() { return client_; }
  const config::ServerConfig& config() const { return config_; }

  // Has a credential ready: a plugin may take a minute, which is not the server's fault.
  rt::Task<Result<void>> prepare(rt::Until until);

  // One line for people: what is wrong, and what to do. See explain.h.
  std::string explain(const Error& error);

 private:
  net::Dial make_dial(const DialServer& dial);
  Result<net::TlsContext> make_tls();

  const config::ServerConfig config_;
  rt::Runtime& runtime_;
  const config::Surroundings& surroundings_;
  std::unique_ptr<config::ServerCredentials> credentials_;
  net::ConnectionPool requests_;
  net::ConnectionPool watches_;
  http::HttpClient client_;
};

}  // namespace berth::kube
