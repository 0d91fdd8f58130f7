// `berth read`: what Berth understands of the objects in a file.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace berth::cli {

struct ReadOptions {
  std::vector<std::string> files;  // "-" is `in`
  std::string output = "table";    // or "json"
};

// Shows every object it can read on `out`, says on `err` what it could not read and why, and goes
// on; kError if there was any such. Kinds Berth does not know are no error: they are listed in a
// table, and named on `err` where there is none.
ExitCode read_files(const ReadOptions& options,
                    std::istream& in,
                    std::ostream& out,
                    std::ostream& err);

}  // namespace berth::cli
