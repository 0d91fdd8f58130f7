// The metrics of a process and their text for Prometheus (exposition format 0.0.4).
//
//   MetricsRegistry metrics;                                      // one a process, built in app/
//   Counter& retries = metrics.counter("berth_bind_retries_total", "Binds tried again.");
//   Family<Counter>& attempts = metrics.counter_family(
//       "berth_bind_attempts_total", "Attempts to bind a pod.", {.names = {"result"}, .series_max =
//       8});
//   Counter& bound = attempts.series({"bound"});                  // kept by who counts
//   bound.add();
//   response.body = metrics.render();
//
// Names are constants of the code: a wrong or repeated one aborts. Label values may come from
// outside, so a family says how many series it has at most; whatever comes beyond is counted in one
// series whose labels all say `other`, and berth_metrics_series_dropped_total counts how often.
//
// Any thread may call anything here. References stay valid for the life of the registry.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instruments.h"
#include "base/mutex.h"

namespace berth {

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";
// What every registry shows of itself and of its process.
inline constexpr std::string_view kBugsName = "berth_bugs_total";
inline constexpr std::string_view kSeriesDroppedName = "berth_metrics_series_dropped_total";
inline constexpr std::string_view kOtherLabelValue = "other";
// A longer label value is cut at a character.
inline constexpr std::size_t kLabelValueBytesMax = 128;

struct MetricLabels {
  std::vector<std::string> names;
  std::size_t series_max = 0;
};

class AnyFamily {
 public:
  AnyFamily() = default;
  AnyFamily(const AnyFamily&) = delete;
  AnyFamily& operator=(const AnyFamily&) = delete;
  virtual ~AnyFamily() = default;

  // Appends help, type and every series; nothing if there is no series yet.
  virtual void render(std::string& out) const = 0;
};

// One metric and its series, one for each combination of label values seen. Instrument is Counter,
// Gauge or Histogram.
template <typename Instrument>
class Family final : public AnyFamily {
 public:
  using Make = std::function<std::unique_ptr<Instrument>()>;

  // For MetricsRegistry. `dropped` counts what does not get a series of its own; null only where
  // there are no labels.
  Family(std::string name, std::string help, MetricLabels labels, Counter* dropped, Make make);

  // The series with these label values, in the order of the label names; made on first use. Takes
  // a lock and builds a text: hot paths keep the reference. Bytes that are not UTF-8 are replaced.
  Instrument& series(std::initializer_list<std::string_view> values) BERTH_EXCLUDES(mutex_);

  void render(std::string& out) const override BERTH_EXCLUDES(mutex_);

 private:
  // Constant after construction.
  const std::string name_;
  const std::string help_;
  const MetricLabels labels_;
  Counter* const dropped_;
  const Make make_;

  // Guards the map, not the instruments. No other lock is taken while it is held.
  mutable Mutex mutex_;
  // By printed labels (`a="x",b="y"`), which also is the order of printing.
  std::map<std::string, std::unique_ptr<Instrument>> series_ BERTH_GUARDED_BY(mutex_);
};

class MetricsRegistry {
 public:
  MetricsRegistry();

  // `help` is a sentence. Names end in their unit, counters in `_total`.
  Counter& counter(std::string name, std::string help);
  Gauge& gauge(std::string name, std::string help);
  Histogram& histogram(std::string name, std::string help, std::vector<double> bounds);

  Family<Counter>& counter_family(std::string name, std::string help, MetricLabels labels);
  Family<Gauge>& gauge_family(std::string name, std::string help, MetricLabels labels);
  Family<Histogram>& histogram_family(std::string name,
                                      std::string help,
                                      std::vector<double> bounds,
                                      MetricLabels labels);

  // Every metric, sorted by name and labels.
  std::string render() const BERTH_EXCLUDES(mutex_);

 private:
  template <typename Instrument>
  Family<Instrument>& add(std::string name,
                          std::string help,
                          MetricLabels labels,
                          typename Family<Instrument>::Make make) BERTH_EXCLUDES(mutex_);

  // Guards the map. A family's own lock may be taken while it is held, never the other way round.
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<AnyFamily>> families_ BERTH_GUARDED_BY(mutex_);
  Counter* dropped_ = nullptr;  // constant after construction
};

}  // namespace berth
