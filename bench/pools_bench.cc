// Which nodes have room for a pod's claims, where every node has a pool of capacity of its own: for
// one claim, and for two of one class, which may take each other's room.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "api/quantity.h"
#include "volumes/catalog.h"
#include "volumes/names.h"
#include "volumes/pod_claims.h"
#include "volumes/search.h"
#include "volumes/switches.h"

namespace {

namespace api = berth::api;
namespace volumes = berth::volumes;

constexpr std::string_view kHost = "kubernetes.io/hostname";
constexpr std::string_view kClass = "local";

api::Quantity gibibytes(std::int64_t count) {
  return api::Quantity::of_int(count << 30, api::Quantity::Format::kBinarySI);
}

void add_node(volumes::Catalog& catalog, std::size_t number) {
  const std::string name = fmt::format("node-{}", number);
  auto node = std::make_shared<api::Node>();
  node->metadata = {.name = name, .resource_version = "1"};
  node->metadata.labels.emplace(kHost, name);
  catalog.set(volumes::NodePtr(std::move(node)));
  auto pool = std::make_shared<api::CSIStorageCapacity>();
  pool->metadata = {.name = "pool-" + name, .ns = "storage", .resource_version = "1"};
  pool->storage_class_name = kClass;
  pool->node_topology = api::LabelSelector{};
  pool->node_topology->match_labels.emplace(kHost, name);
  pool->capacity = gibibytes(static_cast<std::int64_t>(number % 20));
  catalog.set(volumes::CapacityPtr(std::move(pool)));
}

void add_class(volumes::Catalog& catalog) {
  auto storage_class = std::make_shared<api::StorageClass>();
  storage_class->metadata = {.name = std::string(kClass), .resource_version = "1"};
  storage_class->provisioner = "csi.example.com";
  storage_class->volume_binding_mode = std::string(volumes::kWaitForFirstConsumer);
  catalog.set(volumes::ClassPtr(std::move(storage_class)));
  auto driver = std::make_shared<api::CSIDriver>();
  driver->metadata = {.name = "csi.example.com", .resource_version = "1"};
  driver->spec.storage_capacity = true;
  catalog.set(volumes::DriverPtr(std::move(driver)));
}

// A pod with so many claims of five gibibytes, which are added too.
api::Pod add_pod(volumes::Catalog& catalog, std::int64_t claims) {
  api::Pod pod;
  pod.metadata = {.name = "pod", .ns = "default", .uid = "pod-uid"};
  for (std::int64_t i = 0; i < claims; ++i) {
    const std::string name = fmt::format("claim-{}", i);
    auto claim = std::make_shared<api::PersistentVolumeClaim>();
    claim->metadata = {
        .name = name, .ns = "default", .uid = name + "-uid", .resource_version = "1"};
    claim->spec.storage_class_name = std::string(kClass);
    claim->spec.access_modes = {"ReadWriteOnce"};
    claim->spec.resources.requests.emplace(volumes::kStorage, gibibytes(5));
    catalog.set(volumes::ClaimPtr(std::move(claim)));
    api::Volume volume{.name = name};
    volume.source.persistent_volume_claim =
        api::PersistentVolumeClaimVolumeSource{.claim_name = name};
    pod.spec.volumes.push_back(std::move(volume));
  }
  return pod;
}

void feasible(benchmark::State& state, std::int64_t claims) {
  volumes::Catalog catalog;
  add_class(catalog);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    add_node(catalog, static_cast<std::size_t>(i));
  }
  const api::Pod pod = add_pod(catalog, claims);
  const volumes::Switches switches;
  std::size_t count = 0;
  for (auto _ : state) {
    volumes::PodCheck checked = volumes::check_pod(catalog.view(), pod, switches);
    volumes::Search search(std::move(checked.claims), catalog.view(), switches);
    count = search.feasible().count();
    benchmark::DoNotOptimize(count);
  }
  state.counters["feasible"] = static_cast<double>(count);
}

void one_claim(benchmark::State& state) {
  feasible(state, 1);
}
void two_claims(benchmark::State& state) {
  feasible(state, 2);
}

BENCHMARK(one_claim)->Name("one_claim")->Arg(1000)->Arg(5000);
BENCHMARK(two_claims)->Name("two_claims")->Arg(1000)->Arg(5000);

}  // namespace

BENCHMARK_MAIN();
