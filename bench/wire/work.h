// What wire_bench measures: work on a real API server, and what it cost this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::bench {

struct WireOptions {
  std::string kubeconfig;
  std::size_t count = 10'000;  // objects or orders
  std::size_t in_flight = 64;
  bool streams = false;  // `follow`: the first list comes as a watch
};

// One line of JSON, with the names the Go peers use.
struct Cost {
  std::string work;
  std::size_t items = 0;
  std::size_t requests = 0;  // 0: not counted
  double seconds = 0;
  double cpu_seconds = 0;
  std::int64_t start_rss_bytes = 0;
  std::int64_t peak_rss_bytes = 0;

  std::string json() const;
};

// Begins when it is made.
class Stopwatch {
 public:
  explicit Stopwatch(const rt::RealRuntime& runtime);
  Cost stop(std::string work, std::size_t items, std::size_t requests) const;

 private:
  const rt::RealRuntime& runtime_;
  rt::Time start_;
  double cpu_seconds_;
  std::int64_t start_rss_;
};

// Each but make_orders prints what it cost to standard output, a line a piece of work.
//
// ConfigMaps, created with so many in flight.
Result<void> post(const WireOptions& options);
// Nodes, pods and BindRequests for `bind`.
Result<void> make_orders(const WireOptions& options);
// A binder until so many orders have a status.
Result<void> bind(const WireOptions& options);
// A cache of all pods: a line when they are listed, another when so many changes came since.
Result<void> follow(const WireOptions& options);

// Runs `task` on a runtime with a client of the server, until it ends.
using WireTask = rt::Task<Result<void>> (*)(rt::RealRuntime* runtime,
                                            kube::Client* client,
                                            const WireOptions* options);
Result<void> run_on_server(const WireOptions& options, WireTask task);

}  // namespace berth::bench
