// What it costs to follow a cluster's pods: events through a watcher into a cache, and the memory
// of a cached pod. The pods are those of `controlplane make-pods --pb FILE`; BERTH_BENCH_PODS names
// the file, and without it there is nothing to measure.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "api/codec.h"
#include "api/codec/protobuf.h"
#include "api/objects/list.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "scheduler_mask.h"

namespace {

std::int64_t heap_bytes = 0;

}  // namespace

// Counts what the heap gives out, with what it rounds up. Frees too, hence all forms.
void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) {
    std::abort();
  }
  heap_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}
void operator delete(void* memory) noexcept {
  heap_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  operator delete(memory);
}

namespace berth::kube {
namespace {

std::vector<Document> read_pods(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto list = api::list_from_protobuf<api::Pod>(bytes);
  std::vector<Document> documents;
  if (!list) {
    return documents;
  }
  std::uint64_t version = 1;
  for (api::Pod pod : list->items) {
    pod.metadata.resource_version = std::to_string(++version);
    documents.push_back({.encoding = Document::Encoding::kProtobuf,
                         .bytes = api::codec::write_protobuf(api::Pod::table(), &pod)});
  }
  return documents;
}

// Nothing is listed; the watch has `events` ready and then is silent.
class Replay final : public Client {
 public:
  explicit Replay(const std::vector<Document>& pods, rt::Runtime& runtime)
      : pods_(pods), silence_(runtime, "nothing") {}

  rt::Task<Result<ListPage>> list(ListRequest /*request*/, rt::Until /*until*/) override {
    co_return ListPage{.resource_version = "1"};
  }
  rt::Task<Result<std::unique_ptr<Watch>>> watch(WatchRequest /*request*/,
                                                 rt::Until /*until*/) override {
    co_return std::unique_ptr<Watch>(std::make_unique<Stream>(*this));
  }
  rt::Task<Result<Document>> get(GetRequest /*request*/, rt::Until /*until*/) override {
    co_return refused();
  }
  rt::Task<Result<Document>> create(CreateRequest /*request*/, rt::Until /*until*/) override {
    co_return refused();
  }
  rt::Task<Result<Document>> patch(PatchRequest /*request*/, rt::Until /*until*/) override {
    co_return refused();
  }
  rt::Task<Result<void>> remove(RemoveRequest /*request*/, rt::Until /*until*/) override {
    co_return refused();
  }

 private:
  class Stream final : public Watch {
   public:
    explicit Stream(Replay& replay) : replay_(replay) {}
    rt::Task<Result<std::optional<WatchEvent>>> next(rt::Until until) override {
      if (next_ < replay_.pods_.size()) {
        co_return std::optional(WatchEvent{WatchEventType::kAdded, replay_.pods_[next_++]});
      }
      co_await replay_.silence_.wait(until);
      co_return std::optional<WatchEvent>();
    }

   private:
    Replay& replay_;
    std::size_t next_ = 0;
  };

  static Error refused() { return {ErrorCode::kInvalid, "only lists and watches"}; }

  const std::vector<Document>& pods_;
  rt::WaitQueue silence_;
};

struct Follower {
  explicit Follower(const std::vector<Document>& documents)
      : simulation(1),
        client(documents, simulation),
        informers(simulation, client, {}),
        pods(informers.add<api::Pod>({.mask = bench::scheduler_mask()})),
        scope(simulation, "bench") {
    scope.spawn("informers", informers.run(scope.token()));
  }
  void run() { simulation.run_for(std::chrono::seconds(1)); }

  rt::Simulation simulation;
  Replay client;
  Informers informers;
  Informer<api::Pod>& pods;
  rt::Scope scope;
};

void follow(benchmark::State& state, const std::vector<Document>* documents) {
  for (auto _ : state) {
    Follower follower(*documents);
    follower.run();
    if (follower.pods.cache().size() != documents->size()) {
      state.SkipWithError("pods are missing");
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(documents->size()));
}

void cached_pod(benchmark::State& state, const std::vector<Document>* documents) {
  for (auto _ : state) {
    Follower follower(*documents);
    const std::int64_t before = heap_bytes;
    follower.run();
    state.counters["bytes"] = static_cast<double>(heap_bytes - before) /
                              static_cast<double>(follower.pods.cache().size());
  }
}

}  // namespace
}  // namespace berth::kube

int main(int argc, char** argv) {
  const char* file = std::getenv("BERTH_BENCH_PODS");
  const auto pods =
      file != nullptr ? berth::kube::read_pods(file) : std::vector<berth::kube::Document>();
  if (!pods.empty()) {
    benchmark::RegisterBenchmark("events/5000", berth::kube::follow, &pods);
    benchmark::RegisterBenchmark("cached_pod/memory", berth::kube::cached_pod, &pods);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
