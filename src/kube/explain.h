// What went wrong with a server, for people: one line that says what is wrong and what to do.
// docs/troubleshooting.md lists the lines.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "kube/config/server_config.h"
#include "rt/time.h"

namespace berth::kube {

struct Circumstances {
  rt::WallTime now{};
  // Until when the certificate we show is valid.
  std::optional<std::chrono::sys_seconds> certificate_end;
};

// `error` is that of a request to the server.
std::string explain(const Error& error,
                    const config::ServerConfig& config,
                    const Circumstances& around);

}  // namespace berth::kube
