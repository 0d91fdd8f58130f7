// A compiled node selector over all nodes: through the index of labels, and for comparison node by
// node over each node's own labels, in the same run. The selector has two terms of three
// requirements each, among them a NotIn and a Gt; nodes have 12 to 20 labels. The time of a row is
// for all nodes.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "base/node_set.h"

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

using berth::NodeSet;
using berth::api::CompiledNodeSelector;
using berth::api::NodeLabelIndex;
using berth::api::NodeScratch;
using berth::api::NodeSelector;
using berth::api::StringMap;

struct NamedNode {
  std::string name;
  StringMap labels;
};

NamedNode make_node(std::size_t number, std::mt19937_64& random) {
  const auto pick = [&random](const std::string& prefix, std::size_t count) {
    return prefix + std::to_string(random() % count);
  };
  NamedNode node{.name = "node-" + std::to_string(number)};
  node.labels = {
      {"kubernetes.io/hostname", node.name},
      {"kubernetes.io/os", "linux"},
      {"kubernetes.io/arch", random() % 8 == 0 ? "arm64" : "amd64"},
      {"node.kubernetes.io/instance-type", pick("m7.", 12)},
      {"topology.kubernetes.io/region", "eu-1"},
      {"topology.kubernetes.io/zone", pick("eu-1", 3)},
      {"topology.ebs.csi.aws.com/zone", pick("eu-1", 3)},
      {"example.com/rack", pick("r", 200)},
      {"example.com/pool", pick("pool-", 10)},
      {"example.com/disktype", random() % 3 == 0 ? "hdd" : "ssd"},
      {"example.com/generation", std::to_string(random() % 12)},
      {"example.com/serial", std::to_string(random())},
  };
  const std::size_t more = random() % 9;
  for (std::size_t i = 0; i < more; ++i) {
    node.labels["example.com/feature-" + std::to_string(i)] = "true";
  }
  return node;
}

std::vector<NamedNode> make_nodes(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<NamedNode> nodes;
  nodes.reserve(count);
  for (std::size_t number = 0; number < count; ++number) {
    nodes.push_back(make_node(number, random));
  }
  return nodes;
}

CompiledNodeSelector make_selector() {
  NodeSelector selector;
  selector.node_selector_terms = {
      {.match_expressions = {{"topology.kubernetes.io/zone", "In", {"eu-10", "eu-11"}},
                             {"example.com/disktype", "NotIn", {"hdd"}},
                             {"example.com/generation", "Gt", {"5"}}}},
      {.match_expressions = {{"kubernetes.io/arch", "In", {"arm64"}},
                             {"example.com/feature-0", "Exists", {}},
                             {"example.com/pool", "In", {"pool-1", "pool-2", "pool-3"}}}},
  };
  return CompiledNodeSelector::compile(selector);
}

void report(benchmark::State& state, std::size_t matches, std::size_t allocations_before) {
  const auto allocated = static_cast<double>(allocations - allocations_before);
  state.counters["allocations"] = benchmark::Counter(allocated, benchmark::Counter::kAvgIterations);
  state.counters["matches"] = static_cast<double>(matches);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void indexed(benchmark::State& state) {
  const auto nodes = make_nodes(static_cast<std::size_t>(state.range(0)));
  NodeLabelIndex index(nodes.size());
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    index.set(number, nodes[number].name, nodes[number].labels);
  }
  const CompiledNodeSelector selector = make_selector();
  const NodeSet all = NodeSet::full(nodes.size());
  NodeScratch scratch;
  NodeSet selected = all;
  selector.narrow(index, selected, scratch);
  const std::size_t before = allocations;
  for (auto _ : state) {
    selected = all;
    selector.narrow(index, selected, scratch);
    benchmark::DoNotOptimize(selected);
  }
  report(state, selected.count(), before);
}

void node_by_node(benchmark::State& state) {
  const auto nodes = make_nodes(static_cast<std::size_t>(state.range(0)));
  const CompiledNodeSelector selector = make_selector();
  NodeSet selected(nodes.size());
  const std::size_t before = allocations;
  for (auto _ : state) {
    selected.subtract(selected);
    for (std::size_t number = 0; number < nodes.size(); ++number) {
      if (selector.match(nodes[number].name, nodes[number].labels).is_match) {
        selected.set(number);
      }
    }
    benchmark::DoNotOptimize(selected);
  }
  report(state, selected.count(), before);
}

// What keeping the index costs: a node that changes one label.
void relabel(benchmark::State& state) {
  const auto nodes = make_nodes(static_cast<std::size_t>(state.range(0)));
  NodeLabelIndex index(nodes.size());
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    index.set(number, nodes[number].name, nodes[number].labels);
  }
  NamedNode node = nodes.front();
  std::size_t round = 0;
  for (auto _ : state) {
    node.labels["topology.kubernetes.io/zone"] = ++round % 2 == 0 ? "eu-10" : "eu-11";
    index.set(0, node.name, node.labels);
  }
}

BENCHMARK(indexed)->Arg(5000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(node_by_node)->Arg(5000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(relabel)->Arg(5000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
