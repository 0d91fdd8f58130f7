#include "cli/crds.h"

#include <ostream>

#include "cli/exit_code.h"
#include "generated/crds.h"

namespace berth::cli {

ExitCode print_crds(std::ostream& out) {
  out << generated::kCrds;
  return ExitCode::kDone;
}

}  // namespace berth::cli
