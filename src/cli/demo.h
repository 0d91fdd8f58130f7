// `berth demo`: a whole cluster in this process, with a binder at work.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "cli/exit_code.h"

namespace berth::cli {

struct DemoArguments {
  std::size_t nodes = 20;
  std::size_t pods = 500;
  std::size_t rate = 100;
  bool is_plain = false;  // lines, also on a terminal
};

ExitCode demo(const DemoArguments& arguments, std::ostream& out);

}  // namespace berth::cli
