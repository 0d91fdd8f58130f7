// What plugins cost, under kube-scheduler's names. One a process.
//
// Durations are exact: every call is counted, in sharded histograms that are added up when somebody
// reads them. Filter and Score are one call a cycle, since they are asked for all nodes at once.
// The bounds are kube-scheduler's, continued to a quarter of an hour: writing volumes takes
// seconds.
#pragma once

#include "base/metrics.h"

namespace berth::framework {

struct RunnerMetrics {
  explicit RunnerMetrics(MetricsRegistry& registry);

  // extension_point, status, profile
  Family<Histogram>& point_seconds;
  // plugin, extension_point, status
  Family<Histogram>& plugin_seconds;
  // plugin, extension_point, profile: PreFilter, Filter, PreScore and Score
  Family<Counter>& evaluations;
  // result
  Family<Histogram>& permit_wait_seconds;
  // plugin, extension_point: what it threw, answered or did not end is an error that names it
  Family<Counter>& misbehaviour;
};

}  // namespace berth::framework
