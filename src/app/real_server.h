// A server as a process of this machine reaches it: with its files, its programs and its sockets.
#pragma once

#include "base/result.h"
#include "kube/config/find_config.h"
#include "kube/config/real_surroundings.h"
#include "kube/config/server_config.h"
#include "kube/server_connection.h"
#include "rt/real/process.h"
#include "rt/real/real_runtime.h"

namespace berth::app {

class RealServer {
 public:
  // Which server is meant, by the files and variables of this process.
  static Result<kube::config::ServerConfig> find(const kube::config::ConfigChoice& choice);

  // Connects when there is something to ask. `runtime` outlives it.
  RealServer(rt::RealRuntime& runtime, kube::config::ServerConfig config);

  kube::ServerConnection& connection() { return connection_; }

 private:
  kube::config::RealSurroundings surroundings_;
  rt::RealPrograms programs_;
  kube::ServerConnection connection_;
};

}  // namespace berth::app
