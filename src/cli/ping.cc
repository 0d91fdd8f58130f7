#include "cli/ping.h"

#include <fmt/format.h>

#include <ostream>

#include "api/rules/quoted.h"
#include "app/ping.h"
#include "cli/exit_code.h"

namespace berth::cli {

ExitCode ping(const PingArguments& arguments, std::ostream& out, std::ostream& err) {
  const auto pong = app::ping({.kubeconfig = arguments.kubeconfig, .context = arguments.context});
  if (!pong) {
    err << "error: " << api::printable(pong.error().text()) << "\n";
    return ExitCode::kError;
  }
  out << api::printable(
             fmt::format("server {} at {} as {}", pong->version, pong->url, pong->context))
      << "\n";
  return ExitCode::kDone;
}

}  // namespace berth::cli
