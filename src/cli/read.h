// `berth read`: what Berth understands of the objects in a file.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace berth::cli {

struct ReadOptions {
  std::vector<std::string> files;  // "-" is `in`
  std::string output = "table";    // or "json"
};

// Shows every object it can read on `out`, says on `err` what it could not read and why, and goes
// on. False if anything could not be read. Kinds Berth does not know are listed, they are no error.
bool read_files(const ReadOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace berth::cli
