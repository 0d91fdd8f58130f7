// vector_check without its process.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace berth::vector_check {

// `arguments` without the program's name. Differences and the closing line `agree N differ M` go to
// `out`, what kept rows from being checked to `err`; a row or a file that cannot be read counts as
// one that differs, and the others are still checked. Returns the exit code: 0 only if at least one
// row was checked and all agree.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace berth::vector_check
