// NodeSet against std::vector<bool>, at the sizes we plan for. Compare the two rows of a name in
// one run: and/node_set/5000 with and/vector_bool/5000.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "base/node_set.h"

namespace {

using berth::NodeSet;

// Two sets that overlap by half, in both forms. The operations change the first one but settle at
// once (a second `and` with the same set changes nothing), so every round does the same work.
struct Sets {
  explicit Sets(std::size_t size) : a(size), b(size), bits_a(size), bits_b(size) {
    std::mt19937_64 random(size);
    for (std::size_t node = 0; node < size; ++node) {
      const std::uint64_t coins = random();
      if ((coins & 1U) != 0) {
        a.set(node);
        bits_a[node] = true;
      }
      if ((coins & 2U) != 0) {
        b.set(node);
        bits_b[node] = true;
      }
    }
  }

  NodeSet a;
  NodeSet b;
  std::vector<bool> bits_a;
  std::vector<bool> bits_b;
};

Sets sets_for(const benchmark::State& state) {
  return Sets(static_cast<std::size_t>(state.range(0)));
}

void finish(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void and_node_set(benchmark::State& state) {
  Sets sets = sets_for(state);
  for (auto _ : state) {
    sets.a &= sets.b;
    benchmark::ClobberMemory();
  }
  finish(state);
}

void and_vector_bool(benchmark::State& state) {
  Sets sets = sets_for(state);
  for (auto _ : state) {
    for (std::size_t node = 0; node < sets.bits_a.size(); ++node) {
      sets.bits_a[node] = sets.bits_a[node] && sets.bits_b[node];
    }
    benchmark::ClobberMemory();
  }
  finish(state);
}

void and_not_node_set(benchmark::State& state) {
  Sets sets = sets_for(state);
  for (auto _ : state) {
    sets.a.subtract(sets.b);
    benchmark::ClobberMemory();
  }
  finish(state);
}

void and_not_vector_bool(benchmark::State& state) {
  Sets sets = sets_for(state);
  for (auto _ : state) {
    for (std::size_t node = 0; node < sets.bits_a.size(); ++node) {
      sets.bits_a[node] = sets.bits_a[node] && !sets.bits_b[node];
    }
    benchmark::ClobberMemory();
  }
  finish(state);
}

void count_node_set(benchmark::State& state) {
  const Sets sets = sets_for(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(sets.a.count());
  }
  finish(state);
}

void count_vector_bool(benchmark::State& state) {
  const Sets sets = sets_for(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(std::count(sets.bits_a.begin(), sets.bits_a.end(), true));
  }
  finish(state);
}

// Iterating adds the numbers of the members up, so that each of them is looked at.
void iterate_node_set(benchmark::State& state) {
  const Sets sets = sets_for(state);
  for (auto _ : state) {
    std::size_t sum = 0;
    for (const std::size_t node : sets.a) {
      sum += node;
    }
    benchmark::DoNotOptimize(sum);
  }
  finish(state);
}

void for_each_node_set(benchmark::State& state) {
  const Sets sets = sets_for(state);
  for (auto _ : state) {
    std::size_t sum = 0;
    sets.a.for_each([&sum](std::size_t node) { sum += node; });
    benchmark::DoNotOptimize(sum);
  }
  finish(state);
}

void iterate_vector_bool(benchmark::State& state) {
  const Sets sets = sets_for(state);
  for (auto _ : state) {
    std::size_t sum = 0;
    for (std::size_t node = 0; node < sets.bits_a.size(); ++node) {
      if (sets.bits_a[node]) {
        sum += node;
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  finish(state);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(5'000)->Arg(100'000);
}

BENCHMARK(and_node_set)->Name("and/node_set")->Apply(sizes);
BENCHMARK(and_vector_bool)->Name("and/vector_bool")->Apply(sizes);
BENCHMARK(and_not_node_set)->Name("and_not/node_set")->Apply(sizes);
BENCHMARK(and_not_vector_bool)->Name("and_not/vector_bool")->Apply(sizes);
BENCHMARK(count_node_set)->Name("count/node_set")->Apply(sizes);
BENCHMARK(count_vector_bool)->Name("count/vector_bool")->Apply(sizes);
BENCHMARK(iterate_node_set)->Name("iterate/node_set")->Apply(sizes);
BENCHMARK(iterate_vector_bool)->Name("iterate/vector_bool")->Apply(sizes);
BENCHMARK(for_each_node_set)->Name("for_each/node_set")->Apply(sizes);
BENCHMARK(iterate_vector_bool)->Name("for_each/vector_bool")->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
