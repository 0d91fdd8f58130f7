// `berth crds`: the definitions a cluster needs before Berth can work on it.
#pragma once

#include <iosfwd>

#include "cli/exit_code.h"

namespace berth::cli {

// As deploy/crds/ holds them, for `kubectl apply -f -`.
ExitCode print_crds(std::ostream& out);

}  // namespace berth::cli
