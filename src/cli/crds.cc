#include "cli/crds.h"

#include <ostream>

#include "cli/crds_text.h"
#include "cli/exit_code.h"

namespace berth::cli {

ExitCode print_crds(std::ostream& out) {
  out << crds_text();
  return ExitCode::kDone;
}

}  // namespace berth::cli
