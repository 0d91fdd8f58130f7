#include "cli/demo.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <ostream>

#include "app/demo/demo.h"
#include "cli/exit_code.h"

namespace berth::cli {
namespace {

// Of the terminal that standard output is; 0 when it is none.
std::size_t terminal_rows() {
  winsize size{};
  // NOLINTNEXTLINE(misc-include-cleaner): <sys/ioctl.h> is the header of TIOCGWINSZ
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    return 0;
  }
  // A screen of fewer rows shows nothing useful.
  constexpr std::size_t kRowsMin = 10;
  return size.ws_row >= kRowsMin ? size.ws_row : 0;
}

}  // namespace

ExitCode demo(const DemoArguments& arguments, std::ostream& out) {
  app::run_demo({.nodes = arguments.nodes,
                 .pods = arguments.pods,
                 .rate = arguments.rate,
                 .rows = arguments.is_plain ? 0 : terminal_rows()},
                out);
  return ExitCode::kDone;
}

}  // namespace berth::cli
