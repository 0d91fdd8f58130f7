// Asks an API server for its version: the shortest proof that it can be reached, that it is what it
// says, and that it knows us.
#pragma once

#include <string>

#include "base/result.h"
#include "kube/config/find_config.h"
#include "kube/server_connection.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::app {

struct Pong {
  std::string version;  // "v1.36.3"
  std::string url;
  std::string context;
};

// The text of the error is the one line for people.
Result<Pong> ping(const kube::config::ConfigChoice& choice);

// The same of a connection that is there.
rt::Task<Result<Pong>> ask_version(kube::ServerConnection* server, rt::Until until);

}  // namespace berth::app
