#include "kube/server_connection.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/config/credentials.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"
#include "kube/explain.h"
#include "kube/http/http_client.h"
#include "net/certificate.h"
#include "net/connection_pool.h"
#include "net/dial.h"
#include "net/tls.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

http::HttpClientOptions client_options(const config::ServerConfig& config) {
  return {.authority = config.url.endpoint.text(),
          .scheme = config.url.is_tls ? "https" : "http",
          .base_path = config.url.base_path,
          .headers = config.impersonation};
}

}  // namespace

ServerConnection::ServerConnection(config::ServerConfig config,
                                   const ServerParts& parts,
                                   const net::PoolOptions& pool_options)
    : config_(std::move(config)),
      runtime_(parts.runtime),
      surroundings_(parts.surroundings),
      credentials_(
          config::make_credentials(config_, parts.runtime, parts.programs, parts.surroundings)),
      requests_(parts.runtime, make_dial(parts.dial), pool_options),
      watches_(parts.runtime, make_dial(parts.dial), pool_options),
      client_(client_options(config_), requests_, watches_, *credentials_) {
  credentials_->on_new_identity([this] {
    requests_.renew();
    watches_.renew();
  });
}

rt::Task<Result<void>> ServerConnection::prepare(rt::Until until) {
  auto credential = co_await credentials_->current(until);
  if (!credential) {
    co_return std::move(credential).error();
  }
  co_return Result<void>();
}

std::string ServerConnection::explain(const Error& error) {
  Circumstances around{.now = runtime_.wall_now()};
  if (const auto identity = credentials_->identity(); identity && *identity != nullptr) {
    if (const auto end = net::end_of_certificate((*identity)->certificate_pem)) {
      around.certificate_end = *end;
    }
  }
  return kube::explain(error, config_, around);
}

net::Dial ServerConnection::make_dial(const DialServer& dial) {
  std::optional<net::TlsSource> tls;
  if (config_.url.is_tls) {
    tls = [this] { return make_tls(); };
  }
  return dial(config_.url.endpoint, std::move(tls), config_.server_name);
}

// For each connection anew: authorities and certificates in files rotate.
Result<net::TlsContext> ServerConnection::make_tls() {
  auto authority = config::read_material(config_.authority, "certificate-authority", surroundings_);
  if (!authority) {
    return std::move(authority).error().in(config_.cluster);
  }
  auto identity = credentials_->identity();
  if (!identity) {
    return std::move(identity).error();
  }
  net::TlsClientOptions options;
  options.authorities_pem = *std::move(authority);
  options.is_insecure = config_.is_insecure;
  options.identity = *std::move(identity);
  options.protocols = {"h2", "http/1.1"};
  auto context = net::TlsContext::client(options);
  if (!context) {
    // It says itself which of them is no good.
    return config::no_credentials(context.error().text()).in(config_.cluster + ", " + config_.user);
  }
  return context;
}

}  // namespace berth::kube
