// Which nodes can take a pod with one local-volume claim, and what one of them would give it; what
// an event costs, and the memory of a volume. The worlds are those of `controlplane make-volumes`;
// BERTH_BENCH_VOLUMES names the folder with the files volumes-NODESxVOLUMES.jsonl, and without it
// there is nothing to measure.
//
// Times are processor time of this thread (counter "cpu_ns"): between two pods the world changes,
// which is not the pod's to pay.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/node_set.h"
#include "base/result.h"
#include "volume_filter/world.h"
#include "volumes/catalog.h"
#include "volumes/pod_claims.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace {

bool is_counting = false;
std::int64_t heap_bytes = 0;

}  // namespace

// Counts what the heap gives out, with what it rounds up, while somebody wants to know. Frees too,
// hence all forms.
void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) {
    std::abort();
  }
  if (is_counting) {
    heap_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  }
  return memory;
}
void operator delete(void* memory) noexcept {
  if (is_counting) {
    heap_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  }
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  operator delete(memory);
}

namespace berth::bench {
namespace {

constexpr std::size_t kFeasibleShown = 2;  // of the first pods, to be compared with the peer's

std::int64_t thread_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t counted(const std::function<void()>& work) {
  const std::int64_t before = heap_bytes;
  is_counting = true;
  work();
  is_counting = false;
  return heap_bytes - before;
}

// One world at a time is kept: the largest takes seconds to read and hundreds of megabytes.
struct Loaded {
  std::string file;
  std::unique_ptr<World> world;
  std::unique_ptr<Walk> walk;
};

Walk* load(benchmark::State& state, const std::string& file) {
  static Loaded loaded;
  if (loaded.file != file) {
    loaded = {};
    auto world = read_world(file);
    if (!world) {
      state.SkipWithError(world.error().text().c_str());
      return nullptr;
    }
    loaded.file = file;
    loaded.world = std::make_unique<World>(*std::move(world));
    loaded.walk = std::make_unique<Walk>(*loaded.world);
  }
  return loaded.walk.get();
}

// PreFilter and Filter of one pod; the number of nodes it could go to. From the snapshot to the
// release of everything that was made on the way.
std::optional<std::size_t> place(const volumes::Catalog& catalog,
                                 const api::Pod& pod,
                                 bool asks_everybody) {
  const volumes::Switches switches;
  volumes::PodCheck checked = volumes::check_pod(catalog.view(), pod, switches);
  if (!checked.answer.is_success()) {
    return std::nullopt;
  }
  volumes::Search search(std::move(checked.claims), catalog.view(), switches);
  const NodeSet& feasible = search.feasible();
  if (asks_everybody) {
    search.view().nodes().for_each(
        [&search](std::size_t node) { benchmark::DoNotOptimize(search.look_at(node)); });
    return feasible.count();
  }
  for (const std::size_t node : feasible) {
    const volumes::NodeAnswer answer = search.look_at(node);
    if (answer.plan.bindings.empty()) {
      return std::nullopt;
    }
    break;
  }
  return feasible.count();
}

void filter(benchmark::State& state, const std::string& file, bool asks_everybody) {
  Walk* walk = load(state, file);
  if (walk == nullptr) {
    return;
  }
  std::int64_t spent = 0;
  std::map<std::size_t, std::size_t> feasible;
  for (auto _ : state) {
    const Step step = walk->next();
    walk->apply(step);
    const std::int64_t start = thread_cpu_ns();
    const auto found = place(walk->catalog(), *step.pod, asks_everybody);
    spent += thread_cpu_ns() - start;
    walk->forget(step);
    if (!found) {
      state.SkipWithError("a pod has no answer");
      return;
    }
    if (walk->number() < kFeasibleShown) {
      feasible[walk->number()] = *found;
    }
  }
  state.counters["cpu_ns"] = static_cast<double>(spent) / static_cast<double>(state.iterations());
  for (const auto& [number, count] : feasible) {
    state.counters[fmt::format("feasible_{}", number)] = static_cast<double>(count);
  }
}

// One kind of event of every step, each while somebody holds a snapshot from before it.
template <typename Member>
void event(benchmark::State& state, const std::string& file, Member Step::* member) {
  Walk* walk = load(state, file);
  if (walk == nullptr) {
    return;
  }
  std::int64_t spent = 0;
  std::vector<Step> steps;
  for (auto _ : state) {
    steps.clear();
    for (std::size_t i = 0; i < walk->world().steps.size(); ++i) {
      steps.push_back(walk->next());
    }
    const std::int64_t start = thread_cpu_ns();
    for (const Step& step : steps) {
      const volumes::View held = walk->catalog().view();
      walk->catalog().set(step.*member);
    }
    spent += thread_cpu_ns() - start;
    for (const Step& step : steps) {
      walk->forget(step);
    }
  }
  state.counters["cpu_ns"] =
      static_cast<double>(spent) /
      static_cast<double>(state.iterations() * static_cast<std::int64_t>(steps.size()));
}

// What a volume takes: the object itself, which whoever watches has already, and what the catalog
// keeps beside it.
void memory(benchmark::State& state, const std::string& file, bool is_object) {
  Walk* walk = load(state, file);
  if (walk == nullptr) {
    return;
  }
  const World& world = walk->world();
  for (auto _ : state) {
    World without = world;
    without.volumes.clear();
    Walk empty(without);
    std::vector<volumes::VolumePtr> objects;
    objects.reserve(world.volumes.size());
    const std::int64_t of_objects = counted([&world, &objects] {
      for (const volumes::VolumePtr& volume : world.volumes) {
        objects.push_back(std::make_shared<const api::PersistentVolume>(*volume));
      }
    });
    const std::int64_t of_catalog = counted([&objects, &empty] {
      for (const volumes::VolumePtr& volume : objects) {
        empty.catalog().set(volume);
      }
    });
    state.counters["bytes"] = static_cast<double>(is_object ? of_objects : of_catalog) /
                              static_cast<double>(world.volumes.size());
  }
}

void register_world(const std::string& size, const std::string& file) {
  const auto add = [&size](const char* name, const char* suffix, auto run) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}{}", name, size, suffix).c_str(), run);
  };
  add("filter", "", [file](benchmark::State& state) { filter(state, file, false); });
  add("reasons", "", [file](benchmark::State& state) { filter(state, file, true); });
  add("event/volume", "", [file](benchmark::State& state) { event(state, file, &Step::volume); });
  add("event/node", "", [file](benchmark::State& state) { event(state, file, &Step::node); });
  add("event/claim", "", [file](benchmark::State& state) { event(state, file, &Step::claim); });
  add("volume", "/memory", [file](benchmark::State& state) { memory(state, file, false); });
  add("volume_object", "/memory", [file](benchmark::State& state) { memory(state, file, true); });
}

void register_worlds(const std::filesystem::path& folder) {
  const std::string prefix = "volumes-";
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".jsonl" && name.starts_with(prefix)) {
      files.emplace(name.substr(prefix.size()), entry.path().string());
    }
  }
  for (const auto& [size, file] : files) {
    register_world(size, file);
  }
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  if (const char* folder = std::getenv("BERTH_BENCH_VOLUMES")) {
    berth::bench::register_worlds(folder);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
