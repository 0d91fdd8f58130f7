// `berth demo`: a whole cluster in this process. A store, nodes that are played, pods and
// BindRequests that arrive, and a binder at work, for everybody to see.
#pragma once

#include <cstddef>
#include <ostream>

namespace berth::app {

struct DemoOptions {
  std::size_t nodes = 20;
  std::size_t pods = 500;
  std::size_t rate = 100;  // pods that arrive in a second; 0: all at once
  // Of a terminal that `out` is, whose rows are drawn over each other; 0: plain lines.
  std::size_t rows = 0;
};

// Until every order has an outcome and every bound pod runs, or until SIGINT or SIGTERM.
void run_demo(const DemoOptions& options, std::ostream& out);

}  // namespace berth::app
