// `berth ping`: whether the API server can be reached, and knows us.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/exit_code.h"

namespace berth::cli {

struct PingArguments {
  std::string kubeconfig;
  std::string context;
};

// Prints the server's version, or on `err` the one line that says what is wrong and what to do.
ExitCode ping(const PingArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace berth::cli
