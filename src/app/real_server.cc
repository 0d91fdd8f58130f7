#include "app/real_server.h"

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "kube/config/find_config.h"
#include "kube/config/real_surroundings.h"
#include "kube/config/server_config.h"
#include "kube/server_connection.h"
#include "net/dial.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "rt/real/real_runtime.h"

namespace berth::app {

Result<kube::config::ServerConfig> RealServer::find(const kube::config::ConfigChoice& choice) {
  return kube::config::find_config(choice, kube::config::RealSurroundings());
}

RealServer::RealServer(rt::RealRuntime& runtime, kube::config::ServerConfig config)
    : programs_(runtime),
      connection_(
          std::move(config),
          kube::ServerParts{
              .runtime = runtime,
              .programs = programs_,
              .surroundings = surroundings_,
              .dial =
                  [&runtime](
                      net::Endpoint endpoint, std::optional<net::TlsSource> tls, std::string name) {
                    return net::dial_server(
                        runtime, std::move(endpoint), std::move(tls), std::move(name));
                  }},
          {}) {}

}  // namespace berth::app
