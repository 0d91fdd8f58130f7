#include "framework/runner_metrics.h"

#include <cstddef>
#include <vector>

#include "base/metrics.h"

namespace berth::framework {
namespace {

// Profiles and plugins are named by a configuration, so their number is not ours to know.
constexpr std::size_t kSeriesMax = 2'000;

std::vector<double> bounds(double first, double factor, std::size_t count) {
  std::vector<double> bounds;
  for (double bound = first; bounds.size() < count; bound *= factor) {
    bounds.push_back(bound);
  }
  return bounds;
}

// Further bounds, each `factor` times the one before, until one is a quarter of an hour or more.
std::vector<double> continued(std::vector<double> bounds, double factor) {
  constexpr double kLast = 900;
  while (bounds.back() < kLast) {
    bounds.push_back(bounds.back() * factor);
  }
  return bounds;
}

}  // namespace

RunnerMetrics::RunnerMetrics(MetricsRegistry& registry)
    : point_seconds(registry.histogram_family(
          "scheduler_framework_extension_point_duration_seconds",
          "Latency for running all plugins of a specific extension point.",
          continued(bounds(0.0001, 2, 12), 4),
          {.names = {"extension_point", "status", "profile"}, .series_max = kSeriesMax})),
      plugin_seconds(registry.histogram_family(
          "scheduler_plugin_execution_duration_seconds",
          "Duration for running a plugin at a specific extension point.",
          continued(bounds(0.00001, 1.5, 20), 4),
          {.names = {"plugin", "extension_point", "status"}, .series_max = kSeriesMax})),
      evaluations(registry.counter_family(
          "scheduler_plugin_evaluation_total",
          "How often a plugin was asked at an extension point.",
          {.names = {"plugin", "extension_point", "profile"}, .series_max = kSeriesMax})),
      permit_wait_seconds(registry.histogram_family("scheduler_permit_wait_duration_seconds",
                                                    "Duration of waiting on permit.",
                                                    bounds(0.001, 2, 15),
                                                    {.names = {"result"}, .series_max = 16})),
      misbehaviour(registry.counter_family(
          "berth_plugin_misbehaviour_total",
          "Calls of plugins that threw, answered nonsense or did not end.",
          {.names = {"plugin", "extension_point"}, .series_max = kSeriesMax})) {}

}  // namespace berth::framework
