#include "base/metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/instruments.h"
#include "base/mutex.h"
#include "base/utf8.h"

namespace berth {

namespace {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The format's rule: letters, digits and underscores, no digit first; metrics may have colons.
bool is_name(std::string_view name, bool may_have_colons) {
  const bool starts_with_digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return !name.empty() && !starts_with_digit &&
         std::all_of(name.begin(), name.end(), [may_have_colons](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' ||
                  (c == ':' && may_have_colons);
         });
}

bool is_label_name(std::string_view name) {
  // Two underscores are Prometheus's own, `le` is what a histogram adds itself.
  return is_name(name, false) && !name.starts_with("__") && name != "le";
}

void append_help(std::string& out, std::string_view help) {
  for (const char c : help) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
}

void append_label_value(std::string& out, std::string_view value) {
  std::size_t bytes = 0;
  while (!value.empty()) {
    const Utf8Char c = first_utf8_char(value);
    const std::string_view text = c.is_valid ? value.substr(0, c.bytes) : kReplacementText;
    value.remove_prefix(c.bytes);
    bytes += text.size();
    if (bytes > kLabelValueBytesMax) {
      return;
    }
    if (text == "\n") {
      out += "\\n";
    } else if (text == "\\" || text == "\"") {
      out.append("\\").append(text);
    } else {
      out += text;
    }
  }
}

// `value_of(i)` is the value of label i.
template <typename ValueOf>
std::string printed_labels(const std::vector<std::string>& names, const ValueOf& value_of) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out.append(i == 0 ? "" : ",").append(names[i]).append("=\"");
    append_label_value(out, value_of(i));
    out += '"';
  }
  return out;
}

void append_number(std::string& out, std::uint64_t number) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}

void append_number(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "NaN";
  } else if (std::isinf(number)) {
    out += number > 0 ? "+Inf" : "-Inf";
  } else {
    fmt::format_to(std::back_inserter(out), "{}", number);
  }
}

template <typename Number>
void append_sample(std::string& out,
                   std::string_view name,
                   std::string_view suffix,
                   std::string_view labels,
                   Number value) {
  out.append(name).append(suffix);
  if (!labels.empty()) {
    out.append("{").append(labels).append("}");
  }
  out += ' ';
  append_number(out, value);
  out += '\n';
}

template <typename Single>
void append_series(std::string& out,
                   std::string_view name,
                   std::string_view labels,
                   const Single& instrument) {
  append_sample(out, name, "", labels, instrument.value());
}

// Buckets are cumulative, and the count is the last of them, so that both agree even while others
// count.
void append_series(std::string& out,
                   std::string_view name,
                   std::string_view labels,
                   const Histogram& histogram) {
  const Histogram::Reading reading = histogram.read();
  std::uint64_t count = 0;
  for (std::size_t range = 0; range < reading.counts.size(); ++range) {
    count += reading.counts[range];
    std::string bucket(labels);
    bucket += bucket.empty() ? "le=\"" : ",le=\"";
    append_number(bucket, range < histogram.bounds().size() ? histogram.bounds()[range] : INFINITY);
    bucket += '"';
    append_sample(out, name, "_bucket", bucket, count);
  }
  append_sample(out, name, "_sum", labels, reading.sum);
  append_sample(out, name, "_count", labels, count);
}

template <typename Instrument>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<Instrument, Counter>) {
    return "counter";
  } else if constexpr (std::is_same_v<Instrument, Gauge>) {
    return "gauge";
  } else {
    return "histogram";
  }
}

// Whoever finds a bug holds no registry, so all of them show the process's count.
class BugCount final : public AnyFamily {
 public:
  void render(std::string& out) const override {
    out += fmt::format(
        "# HELP {0} Things that cannot be and were survived; each is reported with its stack.\n"
        "# TYPE {0} counter\n{0} {1}\n",
        kBugsName,
        bug_count());
  }
};

}  // namespace

template <typename Instrument>
Family<Instrument>::Family(
    std::string name, std::string help, MetricLabels labels, Counter* dropped, Make make)
    : name_(std::move(name)),
      help_(std::move(help)),
      labels_(std::move(labels)),
      dropped_(dropped),
      make_(std::move(make)) {
  BERTH_ASSERT(is_name(name_, true), "metric names are constants that follow the format");
  BERTH_ASSERT(std::all_of(labels_.names.begin(), labels_.names.end(), is_label_name),
               "label names are constants that follow the format");
  BERTH_ASSERT(labels_.series_max > 0, "a family says how many series it may have");
}

template <typename Instrument>
Instrument& Family<Instrument>::series(std::initializer_list<std::string_view> values) {
  BERTH_ASSERT(values.size() == labels_.names.size(), "there is a value for each label");
  std::string key = printed_labels(labels_.names, [&](std::size_t i) { return values.begin()[i]; });

  const MutexLock lock(mutex_);
  auto found = series_.find(key);
  if (found == series_.end() && series_.size() >= labels_.series_max) {
    BERTH_ASSERT(dropped_ != nullptr, "without labels there is one series");
    dropped_->add();
    key = printed_labels(labels_.names, [](std::size_t) { return kOtherLabelValue; });
    found = series_.find(key);
  }
  if (found == series_.end()) {
    found = series_.emplace(std::move(key), make_()).first;
  }
  return *found->second;
}

template <typename Instrument>
void Family<Instrument>::render(std::string& out) const {
  const MutexLock lock(mutex_);
  if (series_.empty()) {
    return;
  }
  out.append("# HELP ").append(name_).append(" ");
  append_help(out, help_);
  out.append("\n# TYPE ").append(name_).append(" ").append(type_name<Instrument>()).append("\n");
  for (const auto& [labels, instrument] : series_) {
    append_series(out, name_, labels, *instrument);
  }
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<Histogram>;

MetricsRegistry::MetricsRegistry() {
  families_.emplace(kBugsName, std::make_unique<BugCount>());
  dropped_ = &counter(std::string(kSeriesDroppedName),
                      "Uses of label values for which a metric had no room; counted as 'other'.");
}

template <typename Instrument>
Family<Instrument>& MetricsRegistry::add(std::string name,
                                         std::string help,
                                         MetricLabels labels,
                                         typename Family<Instrument>::Make make) {
  auto family = std::make_unique<Family<Instrument>>(
      name, std::move(help), std::move(labels), dropped_, std::move(make));
  Family<Instrument>& added = *family;
  const MutexLock lock(mutex_);
  const bool is_new = families_.emplace(std::move(name), std::move(family)).second;
  BERTH_ASSERT(is_new, "a metric is registered once, by the class that counts it");
  return added;
}

Counter& MetricsRegistry::counter(std::string name, std::string help) {
  return counter_family(std::move(name), std::move(help), {.series_max = 1}).series({});
}

Gauge& MetricsRegistry::gauge(std::string name, std::string help) {
  return gauge_family(std::move(name), std::move(help), {.series_max = 1}).series({});
}

Histogram& MetricsRegistry::histogram(std::string name,
                                      std::string help,
                                      std::vector<double> bounds) {
  return histogram_family(std::move(name), std::move(help), std::move(bounds), {.series_max = 1})
      .series({});
}

Family<Counter>& MetricsRegistry::counter_family(std::string name,
                                                 std::string help,
                                                 MetricLabels labels) {
  return add<Counter>(std::move(name), std::move(help), std::move(labels), [] {
    return std::make_unique<Counter>();
  });
}

Family<Gauge>& MetricsRegistry::gauge_family(std::string name,
                                             std::string help,
                                             MetricLabels labels) {
  return add<Gauge>(std::move(name), std::move(help), std::move(labels), [] {
    return std::make_unique<Gauge>();
  });
}

Family<Histogram>& MetricsRegistry::histogram_family(std::string name,
                                                     std::string help,
                                                     std::vector<double> bounds,
                                                     MetricLabels labels) {
  return add<Histogram>(
      std::move(name), std::move(help), std::move(labels), [bounds = std::move(bounds)] {
        return std::make_unique<Histogram>(bounds);
      });
}

std::string MetricsRegistry::render() const {
  std::string out;
  const MutexLock lock(mutex_);
  for (const auto& [name, family] : families_) {
    family->render(out);
  }
  return out;
}

}  // namespace berth
