#include "base/metrics.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/instruments.h"

namespace berth {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kThreads = 4;
constexpr int kRounds = 1'000'000;

// Runs `body` with 0, 1, 2 and 3 on four threads at the same time, two on each of two shards:
// threads get their shards in turn, so every shard gets two out of twice as many threads.
void on_threads(const std::function<void(int)>& body) {
  std::latch start(kThreads);
  std::atomic<int> number{0};
  std::vector<std::jthread> threads;
  threads.reserve(2 * kInstrumentShards);
  for (std::size_t i = 0; i < 2 * kInstrumentShards; ++i) {
    threads.emplace_back([&] {
      if (this_thread_shard() < 2) {
        start.arrive_and_wait();
        body(number++);
      }
    });
  }
}

constexpr std::string_view kOwn =
    "# HELP berth_bugs_total Things that cannot be and were survived; each is reported with its "
    "stack.\n"
    "# TYPE berth_bugs_total counter\n"
    "berth_bugs_total 0\n"
    "# HELP berth_metrics_series_dropped_total Uses of label values for which a metric had no "
    "room; counted as 'other'.\n"
    "# TYPE berth_metrics_series_dropped_total counter\n"
    "berth_metrics_series_dropped_total 0\n";

TEST(Metrics, RendersNothingButItsOwnCountersAtFirst) {
  EXPECT_EQ(MetricsRegistry().render(), kOwn);
}

TEST(Metrics, RendersACounter) {
  MetricsRegistry metrics;
  metrics.counter("a_total", "Things that happened.").add(3);
  EXPECT_EQ(metrics.render(),
            "# HELP a_total Things that happened.\n"
            "# TYPE a_total counter\n"
            "a_total 3\n" +
                std::string(kOwn));
}

TEST(Metrics, RendersAGauge) {
  MetricsRegistry metrics;
  metrics.gauge("a_seconds", "Age.").set(-1.5);
  EXPECT_THAT(metrics.render(), HasSubstr("# TYPE a_seconds gauge\na_seconds -1.5\n"));
}

TEST(Metrics, RendersNumbersThatAreNotFinite) {
  MetricsRegistry metrics;
  metrics.gauge("a", "A.").set(std::numeric_limits<double>::infinity());
  metrics.gauge("b", "B.").set(-std::numeric_limits<double>::infinity());
  metrics.gauge("c", "C.").set(std::numeric_limits<double>::quiet_NaN());
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("\na +Inf\n"));
  EXPECT_THAT(text, HasSubstr("\nb -Inf\n"));
  EXPECT_THAT(text, HasSubstr("\nc NaN\n"));
}

TEST(Metrics, RendersAHistogramWithCumulativeBuckets) {
  MetricsRegistry metrics;
  Histogram& histogram = metrics.histogram("a_seconds", "Time.", {0.005, 0.5, 10});
  for (const double value : {0.005, 0.25, 0.25, 100.0}) {
    histogram.observe(value);
  }
  EXPECT_THAT(metrics.render(),
              HasSubstr("# HELP a_seconds Time.\n"
                        "# TYPE a_seconds histogram\n"
                        "a_seconds_bucket{le=\"0.005\"} 1\n"
                        "a_seconds_bucket{le=\"0.5\"} 3\n"
                        "a_seconds_bucket{le=\"10\"} 3\n"
                        "a_seconds_bucket{le=\"+Inf\"} 4\n"
                        "a_seconds_sum 100.505\n"
                        "a_seconds_count 4\n"));
}

TEST(Metrics, RendersLabelsOfEveryKind) {
  MetricsRegistry metrics;
  metrics.counter_family("c_total", "C.", {.names = {"result", "zone"}, .series_max = 5})
      .series({"bound", "a"})
      .add();
  metrics.gauge_family("g", "G.", {.names = {"queue"}, .series_max = 5}).series({"active"}).set(7);
  metrics.histogram_family("h", "H.", {1}, {.names = {"point"}, .series_max = 5})
      .series({"filter"})
      .observe(1);
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("\nc_total{result=\"bound\",zone=\"a\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\ng{queue=\"active\"} 7\n"));
  EXPECT_THAT(text,
              HasSubstr("\nh_bucket{point=\"filter\",le=\"1\"} 1\n"
                        "h_bucket{point=\"filter\",le=\"+Inf\"} 1\n"
                        "h_sum{point=\"filter\"} 1\n"
                        "h_count{point=\"filter\"} 1\n"));
}

TEST(Metrics, SortsByNameAndLabelsWhateverTheOrderOfUse) {
  MetricsRegistry metrics;
  metrics.counter("z_total", "Z.");
  auto& family = metrics.counter_family("b_total", "B.", {.names = {"l"}, .series_max = 5});
  family.series({"y"}).add(2);
  family.series({"x"}).add(1);
  metrics.counter("a_total", "A.");
  EXPECT_EQ(metrics.render(),
            "# HELP a_total A.\n# TYPE a_total counter\na_total 0\n"
            "# HELP b_total B.\n# TYPE b_total counter\nb_total{l=\"x\"} 1\nb_total{l=\"y\"} 2\n" +
                std::string(kOwn) + "# HELP z_total Z.\n# TYPE z_total counter\nz_total 0\n");
}

TEST(Metrics, LeavesOutAFamilyWithoutSeries) {
  MetricsRegistry metrics;
  metrics.counter_family("a_total", "A.", {.names = {"l"}, .series_max = 5});
  EXPECT_EQ(metrics.render(), kOwn);
}

TEST(Metrics, EscapesHelpAndLabelValues) {
  MetricsRegistry metrics;
  metrics.counter_family("a_total", "back\\slash, line\nand \"quote\".", {{"l"}, 5})
      .series({"back\\slash, line\nand \"quote\""})
      .add();
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("# HELP a_total back\\\\slash, line\\nand \"quote\".\n"));
  EXPECT_THAT(text, HasSubstr("a_total{l=\"back\\\\slash, line\\nand \\\"quote\\\"\"} 1\n"));
}

TEST(Metrics, ReplacesBytesOfLabelValuesThatAreNotUtf8) {
  MetricsRegistry metrics;
  metrics.counter_family("a_total", "A.", {{"l"}, 5}).series({"x\xFF"}).add();
  EXPECT_THAT(metrics.render(), HasSubstr("a_total{l=\"x\xEF\xBF\xBD\"} 1\n"));
}

TEST(Metrics, CutsLongLabelValuesBetweenCharacters) {
  MetricsRegistry metrics;
  auto& family = metrics.counter_family("a_total", "A.", {{"l"}, 5});
  const std::string longest(kLabelValueBytesMax, 'x');
  family.series({longest}).add();
  family.series({longest + "y"}).add();
  const std::string almost(kLabelValueBytesMax - 1, 'x');
  family.series({almost + "\xC3\xBC"}).add();
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("{l=\"" + longest + "\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("{l=\"" + almost + "\"} 1\n"));
}

TEST(Metrics, TellsApartLabelValuesThatContainSeparators) {
  MetricsRegistry metrics;
  auto& family = metrics.counter_family("a_total", "A.", {{"l", "m"}, 5});
  EXPECT_NE(&family.series({"x\",m=\"y", ""}), &family.series({"x", "y\",m=\""}));
  EXPECT_NE(&family.series({"x", ""}), &family.series({"", "x"}));
}

TEST(Metrics, GivesTheSameSeriesForTheSameLabelsAsLongAsItLives) {
  MetricsRegistry metrics;
  auto& family = metrics.counter_family("a_total", "A.", {{"l"}, 1000});
  const Counter& first = family.series({"first"});
  for (int i = 0; i < 500; ++i) {
    family.series({std::to_string(i)});
    metrics.counter("b" + std::to_string(i) + "_total", "B.");
  }
  EXPECT_EQ(&family.series({"first"}), &first);
}

TEST(Metrics, CountsLabelsBeyondTheLimitInOneSeriesAndSaysHowOften) {
  MetricsRegistry metrics;
  auto& family = metrics.counter_family("a_total", "A.", {{"l", "m"}, 2});
  family.series({"1", "x"}).add();
  family.series({"2", "x"}).add();
  family.series({"3", "x"}).add();
  family.series({"4", "x"}).add();
  family.series({"1", "x"}).add();
  const std::string text = metrics.render();
  EXPECT_THAT(text,
              HasSubstr("a_total{l=\"1\",m=\"x\"} 2\n"
                        "a_total{l=\"2\",m=\"x\"} 1\n"
                        "a_total{l=\"other\",m=\"other\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("\"3\"")));
  EXPECT_THAT(text, HasSubstr("\nberth_metrics_series_dropped_total 2\n"));
}

TEST(Metrics, CanBeUsedAndReadByManyThreads) {
  constexpr int kUses = 500;
  MetricsRegistry metrics;
  auto& family = metrics.counter_family("a_total", "A.", {{"l"}, 3});
  auto& times = metrics.histogram("b_seconds", "B.", {1, 2});
  on_threads([&](int thread) {
    metrics.counter("c" + std::to_string(thread) + "_total", "C.").add();
    for (int use = 0; use < kUses; ++use) {
      family.series({std::to_string(use % 6)}).add();
      times.observe(use % 3);
      if (use % 50 == 0) {
        EXPECT_THAT(metrics.render(), HasSubstr("b_seconds_count"));
      }
    }
  });
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr(fmt::format("\nb_seconds_count {}\n", kThreads * kUses)));
  EXPECT_THAT(text, HasSubstr(fmt::format("\nc{}_total 1\n", kThreads - 1)));

  // Which three values got a series depends on the threads; the others went to `other`.
  std::uint64_t sum = 0;
  for (const char* value : {"0", "1", "2", "3", "4", "5", "other"}) {
    if (text.find(fmt::format("a_total{{l=\"{}\"}}", value)) != text.npos) {
      sum += family.series({value}).value();
    }
  }
  EXPECT_EQ(sum, std::uint64_t{kThreads} * kUses);
}

TEST(Counter, LosesNothingBetweenThreads) {
  Counter counter;
  on_threads([&counter](int /*thread*/) {
    for (int round = 0; round < kRounds; ++round) {
      counter.add();
    }
  });
  EXPECT_EQ(counter.value(), std::uint64_t{kThreads} * kRounds);
}

TEST(Shards, StayWithTheirThreadAndAreAllUsed) {
  const std::size_t mine = this_thread_shard();
  EXPECT_EQ(this_thread_shard(), mine);

  std::set<std::size_t> shards;
  for (std::size_t thread = 0; thread < kInstrumentShards; ++thread) {
    std::jthread([&shards] { shards.insert(this_thread_shard()); }).join();
  }
  EXPECT_EQ(shards.size(), kInstrumentShards);
  EXPECT_LT(*shards.rbegin(), kInstrumentShards);
}

TEST(Gauge, LosesNothingBetweenThreads) {
  Gauge gauge;
  on_threads([&gauge](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      gauge.add(thread % 2 == 0 ? 2 : -1);
    }
  });
  EXPECT_EQ(gauge.value(), kThreads / 2 * kRounds);
}

TEST(Histogram, LosesNothingBetweenThreads) {
  Histogram histogram({0, 1});
  on_threads([&histogram](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      histogram.observe(thread);
    }
  });
  const auto reading = histogram.read();
  EXPECT_EQ(reading.counts, (std::vector<std::uint64_t>{kRounds, kRounds, 2UL * kRounds}));
  EXPECT_EQ(reading.sum, 6.0 * kRounds);
}

TEST(MetricsDeathTest, RefusesNamesTheFormatDoesNotKnow) {
  MetricsRegistry metrics;
  for (const char* name : {"", "1_total", "a-b", "a b", "\xC3\xBC_total", "a{}"}) {
    EXPECT_DEATH(metrics.counter(name, "A."), "metric names are constants") << name;
  }
  for (const char* label : {"", "1", "a-b", "a:b", "__a", "le"}) {
    EXPECT_DEATH(metrics.counter_family("a_total", "A.", {{label}, 5}), "label names are constants")
        << label;
  }
}

TEST(MetricsDeathTest, RefusesTheSameNameTwice) {
  MetricsRegistry metrics;
  metrics.counter("a_total", "A.");
  EXPECT_DEATH(metrics.gauge("a_total", "A."), "registered once");
}

TEST(MetricsDeathTest, RefusesAFamilyWithoutALimit) {
  MetricsRegistry metrics;
  EXPECT_DEATH(metrics.counter_family("a_total", "A.", {.names = {"l"}}), "how many series");
}

TEST(MetricsDeathTest, RefusesAnotherNumberOfValuesThanLabels) {
  MetricsRegistry metrics;
  auto& family = metrics.counter_family("a_total", "A.", {{"l"}, 5});
  EXPECT_DEATH(family.series({}), "a value for each label");
  EXPECT_DEATH(family.series({"x", "y"}), "a value for each label");
}

}  // namespace
}  // namespace berth
