// What a demonstration has come to, and how it is shown.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "rt/time.h"

namespace berth::app {

struct DemoFigures {
  rt::Duration elapsed{};
  std::size_t wanted = 0;  // pods there will be
  std::size_t pods = 0;    // that have come
  std::size_t bound = 0;
  std::size_t running = 0;
  std::size_t in_work = 0;
  std::size_t bound_last_second = 0;
  std::map<std::string, std::size_t> failed;   // by reason
  std::map<std::string, std::size_t> by_node;  // pods that are bound
  std::vector<rt::Duration> latencies;         // from order to status

  std::size_t failures() const;
};

// The heading of demo_line().
std::string demo_heading();
// One line: how far it is.
std::string demo_line(const DemoFigures& figures);
// The same for a terminal, several lines that are drawn over each other: with a bar for each node.
// At most `rows` lines.
std::string demo_screen(const DemoFigures& figures, std::size_t rows);
// What came of it, at the end.
std::string demo_summary(const DemoFigures& figures);

}  // namespace berth::app
