// Reading and printing ordinary quantities, as the pod decoder meets them.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <new>
#include <string_view>

#include "api/quantity.h"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  std::abort();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using berth::api::Quantity;

void report_allocations(benchmark::State& state, std::size_t before) {
  state.counters["allocations"] = benchmark::Counter(static_cast<double>(allocations - before),
                                                     benchmark::Counter::kAvgIterations);
}

void parse(benchmark::State& state, std::string_view text) {
  Quantity quantity;
  const std::size_t before = allocations;
  for (auto _ : state) {
    benchmark::DoNotOptimize(text);
    const bool parsed = Quantity::parse_into(text, quantity);
    benchmark::DoNotOptimize(parsed);
    benchmark::DoNotOptimize(quantity);
  }
  report_allocations(state, before);
}

void print(benchmark::State& state, std::string_view text) {
  Quantity quantity;
  if (!Quantity::parse_into(text, quantity)) {
    state.SkipWithError("not a quantity");
    return;
  }
  const std::size_t before = allocations;
  for (auto _ : state) {
    benchmark::DoNotOptimize(quantity.to_string());
  }
  report_allocations(state, before);
}

BENCHMARK_CAPTURE(parse, milli, "500m");
BENCHMARK_CAPTURE(parse, binary, "1Gi");
BENCHMARK_CAPTURE(parse, count, "4");
BENCHMARK_CAPTURE(parse, fraction, "0.5");
BENCHMARK_CAPTURE(parse, bytes, "128974848");
BENCHMARK_CAPTURE(parse, exponent, "129e6");
BENCHMARK_CAPTURE(parse, binary_fraction, "1.5Gi");
BENCHMARK_CAPTURE(print, milli, "500m");
BENCHMARK_CAPTURE(print, binary, "1Gi");
BENCHMARK_CAPTURE(print, bytes, "128974848");

}  // namespace

BENCHMARK_MAIN();
