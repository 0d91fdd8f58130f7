#include "app/demo/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace berth::app {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

DemoFigures some_figures() {
  DemoFigures figures{.elapsed = milliseconds(2500),
                      .wanted = 10,
                      .pods = 8,
                      .bound = 5,
                      .running = 4,
                      .in_work = 1,
                      .bound_last_second = 2,
                      .failed = {{"Node \"x\" not found", 1}, {"too late", 2}},
                      .by_node = {{"n1", 4}, {"n2", 1}, {"n3", 0}},
                      .latencies = {}};
  for (int i = 1; i <= 100; ++i) {
    figures.latencies.emplace_back(milliseconds(i));
  }
  return figures;
}

TEST(DemoFigures, TheLineStandsUnderItsHeading) {
  const std::string line = demo_line(some_figures());
  EXPECT_EQ(line.size(), demo_heading().size());
  EXPECT_EQ(line,
            "   2.5 s       8       5       3        4        1        2   51.0 ms  100.0 ms\n");
}

TEST(DemoFigures, TheScreenHasABarForEachNode) {
  const std::string screen = demo_screen(some_figures(), 20);
  EXPECT_THAT(screen, HasSubstr("n1     4 " + std::string(40, '#') + "\n"));
  EXPECT_THAT(screen, HasSubstr("n2     1 " + std::string(10, '#') + "\n"));
  EXPECT_THAT(screen, HasSubstr("n3     0 \n"));
}

TEST(DemoFigures, TheScreenIsNoLongerThanTheTerminal) {
  const std::string screen = demo_screen(some_figures(), 6);
  EXPECT_EQ(std::ranges::count(screen, '\n'), 6);
  EXPECT_THAT(screen, EndsWith("1 more nodes\n"));
}

TEST(DemoFigures, TheSummaryTellsEveryReason) {
  const std::string summary = demo_summary(some_figures());
  EXPECT_THAT(summary, HasSubstr("8 of 10 pods in 2.5 s: 5 bound, 3 failed, 4 running\n"));
  EXPECT_THAT(summary, HasSubstr("  2 failed: too late\n  1 failed: Node \"x\" not found\n"));
  EXPECT_THAT(summary, HasSubstr("51.0 ms at the median, 100.0 ms at the 99th"));
}

TEST(DemoFigures, NothingBoundIsNoReasonToDivideByIt) {
  EXPECT_THAT(demo_line({}), HasSubstr("0.0 ms"));
  EXPECT_THAT(demo_summary({}), Not(HasSubstr("median")));
}

}  // namespace
}  // namespace berth::app
