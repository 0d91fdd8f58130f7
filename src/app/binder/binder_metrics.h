// The metrics of a binder process.
#pragma once

#include <string>

#include "base/error.h"
#include "base/instruments.h"
#include "base/metrics.h"
#include "binder/outcome.h"
#include "binder/service.h"
#include "rt/time.h"

namespace berth::app {

// The name of the lease, the one of the KAI binder: an old and a new one never act together.
inline constexpr const char* kBinderLease = "2ad35f9c.kai.scheduler";

class BinderMetrics {
 public:
  BinderMetrics();

  void said(const binder::Outcome& outcome, rt::Duration took);
  void trouble(const Error& trouble);

  // With what is read of the service now.
  std::string render(const binder::Service& service);

 private:
  MetricsRegistry registry_;
  Family<Counter>& outcomes_;
  Counter& bound_;
  Counter& failed_;
  Family<Counter>& troubles_;
  Histogram& took_;
  Gauge& open_;
  Gauge& in_work_;
  Gauge& leads_;
};

}  // namespace berth::app
