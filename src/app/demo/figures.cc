#include "app/demo/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rt/time.h"

namespace berth::app {
namespace {

constexpr std::size_t kBarLen = 40;
constexpr std::size_t kReasonsMax = 5;

double seconds(rt::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// The one below which so many of a hundred lie.
rt::Duration percentile(std::vector<rt::Duration> values, std::size_t percent) {
  if (values.empty()) {
    return {};
  }
  const std::size_t place = std::min(values.size() - 1, values.size() * percent / 100);
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
  return values[place];
}

std::string milliseconds_text(rt::Duration duration) {
  return fmt::format("{:.1f} ms", seconds(duration) * 1000);
}

std::string bar(std::size_t count, std::size_t most) {
  return std::string(most == 0 ? 0 : (count * kBarLen + most - 1) / most, '#');
}

}  // namespace

std::size_t DemoFigures::failures() const {
  std::size_t sum = 0;
  for (const auto& [reason, count] : failed) {
    sum += count;
  }
  return sum;
}

std::string demo_heading() {
  return fmt::format("{:>8} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>9} {:>9}\n",
                     "time",
                     "pods",
                     "bound",
                     "failed",
                     "running",
                     "in work",
                     "binds/s",
                     "median",
                     "p99");
}

std::string demo_line(const DemoFigures& figures) {
  return fmt::format("{:>6.1f} s {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>9} {:>9}\n",
                     seconds(figures.elapsed),
                     figures.pods,
                     figures.bound,
                     figures.failures(),
                     figures.running,
                     figures.in_work,
                     figures.bound_last_second,
                     milliseconds_text(percentile(figures.latencies, 50)),
                     milliseconds_text(percentile(figures.latencies, 99)));
}

std::string demo_screen(const DemoFigures& figures, std::size_t rows) {
  std::string screen = demo_heading() + demo_line(figures) + "\n";
  constexpr std::size_t kLinesAbove = 3;
  const std::size_t room = rows > kLinesAbove + 1 ? rows - kLinesAbove - 1 : 0;
  std::size_t most = 0;
  for (const auto& [node, count] : figures.by_node) {
    most = std::max(most, count);
  }
  std::size_t shown = 0;
  for (const auto& [node, count] : figures.by_node) {
    if (shown == room) {
      break;
    }
    screen += fmt::format("{:>12} {:>5} {}\n", node, count, bar(count, most));
    ++shown;
  }
  if (shown < figures.by_node.size()) {
    screen += fmt::format("{:>12} {} more nodes\n", "", figures.by_node.size() - shown);
  }
  return screen;
}

std::string demo_summary(const DemoFigures& figures) {
  std::string text = fmt::format("{} of {} pods in {:.1f} s: {} bound, {} failed, {} running\n",
                                 figures.pods,
                                 figures.wanted,
                                 seconds(figures.elapsed),
                                 figures.bound,
                                 figures.failures(),
                                 figures.running);
  std::vector<std::pair<std::string, std::size_t>> reasons(figures.failed.begin(),
                                                           figures.failed.end());
  std::ranges::sort(reasons, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (std::size_t i = 0; i < std::min(reasons.size(), kReasonsMax); ++i) {
    text += fmt::format("  {} failed: {}\n", reasons[i].second, reasons[i].first);
  }
  if (reasons.size() > kReasonsMax) {
    text += fmt::format("  and {} more reasons\n", reasons.size() - kReasonsMax);
  }
  if (!figures.latencies.empty()) {
    text += fmt::format("from order to status: {} at the median, {} at the 99th of a hundred\n",
                        milliseconds_text(percentile(figures.latencies, 50)),
                        milliseconds_text(percentile(figures.latencies, 99)));
  }
  return text;
}

}  // namespace berth::app
