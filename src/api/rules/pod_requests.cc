#include "api/rules/pod_requests.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/objects/container.h"
#include "api/objects/pod.h"
#include "api/quantity.h"
#include "base/hash_map.h"

namespace berth::api {
namespace {

enum class Source : std::uint8_t { kSpec, kAllocated, kInForce };

const ResourceList& none() {
  static const ResourceList list;
  return list;
}

void add(ResourceList& total, const ResourceList& more) {
  for (const auto& [name, quantity] : more) {
    const auto [place, is_new] = total.try_emplace(name, quantity);
    if (!is_new) {
      place->second.add(quantity);
    }
  }
}

// Of two equal quantities the one that is there already stays: they may print differently.
void raise(ResourceList& total, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const auto [place, is_new] = total.try_emplace(name, quantity);
    if (!is_new && quantity.compare(place->second) > 0) {
      place->second = quantity;
    }
  }
}

bool is_resize_infeasible(const Pod& pod) {
  const auto condition =
      std::ranges::find(pod.status.conditions, "PodResizePending", &PodCondition::type);
  return condition != pod.status.conditions.end() && condition->reason == "Infeasible";
}

class PodTotals {
 public:
  // A container that does not name one of `unnamed` counts with what stands there.
  PodTotals(const Pod& pod, const ResourceList& unnamed)
      : pod_(pod), unnamed_(unnamed), is_infeasible_(is_resize_infeasible(pod)) {
    for (const auto* list : {&pod.status.container_statuses, &pod.status.init_container_statuses}) {
      for (const ContainerStatus& status : *list) {
        statuses_.try_emplace(status.name, &status);
      }
    }
  }

  ResourceList total(Source source) const {
    ResourceList running;
    for (const Container& container : pod_.spec.containers) {
      add_container(running, container, source);
    }
    ResourceList sidecars;
    ResourceList peak;
    for (const Container& container : pod_.spec.init_containers) {
      if (container.restart_policy == "Always") {
        add_container(running, container, source);
        add_container(sidecars, container, source);
        raise(peak, sidecars);
      } else {
        ResourceList beside_sidecars;
        add_container(beside_sidecars, container, source);
        add(beside_sidecars, sidecars);
        raise(peak, beside_sidecars);
      }
    }
    raise(running, peak);
    return running;
  }

  ResourceList largest() const {
    const PodStatus& status = pod_.status;
    const bool has_totals = !status.allocated_resources.empty() && status.resources &&
                            !status.resources->requests.empty();
    ResourceList largest = is_infeasible_ ? ResourceList() : total(Source::kSpec);
    raise(largest, has_totals ? status.resources->requests : total(Source::kInForce));
    raise(largest, has_totals ? status.allocated_resources : total(Source::kAllocated));
    return largest;
  }

  ResourceList pod_level(bool use_status) const {
    const ResourceList& spec = pod_.spec.resources->requests;
    if (!use_status || !pod_.status.resources) {
      return spec;
    }
    ResourceList largest = is_infeasible_ ? ResourceList() : spec;
    raise(largest, pod_.status.resources->requests);
    raise(largest, pod_.status.allocated_resources);
    return largest;
  }

 private:
  void add_container(ResourceList& total, const Container& container, Source source) const {
    const ResourceList& own = requests(container, source);
    add(total, own);
    for (const auto& unnamed : unnamed_) {
      if (!own.contains(unnamed.first)) {
        add(total, {unnamed});
      }
    }
  }

  const ResourceList& requests(const Container& container, Source source) const {
    const ResourceList& spec = container.resources.requests;
    if (source == Source::kSpec) {
      return spec;
    }
    if (const auto found = statuses_.find(container.name); found != statuses_.end()) {
      const ContainerStatus& status = *found->second;
      if (source == Source::kInForce && status.resources && !status.resources->requests.empty()) {
        return status.resources->requests;
      }
      if (!status.allocated_resources.empty()) {
        return status.allocated_resources;
      }
    }
    return is_infeasible_ ? none() : spec;
  }

  const Pod& pod_;
  const ResourceList& unnamed_;
  const bool is_infeasible_;
  HashMap<std::string_view, const ContainerStatus*> statuses_;  // by container
};

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

bool has_pod_level(const Pod& pod) {
  return pod.spec.resources &&
         std::ranges::any_of(pod.spec.resources->requests,
                             [](const auto& request) { return is_pod_level(request.first); });
}

ResourceList requests_of(const Pod& pod,
                         const PodRequestOptions& options,
                         const ResourceList& unnamed) {
  const PodTotals totals(pod, unnamed);
  ResourceList requests = options.use_status ? totals.largest() : totals.total(Source::kSpec);
  if (options.use_pod_level && has_pod_level(pod)) {
    for (const auto& [name, quantity] : totals.pod_level(options.use_status)) {
      if (is_pod_level(name)) {
        requests.insert_or_assign(name, quantity);
      }
    }
  }
  add(requests, pod.spec.overhead);
  return requests;
}

// kube-scheduler's figures.
const ResourceList& unnamed_in_scores() {
  static const ResourceList list{
      {"cpu", Quantity::of_milli(100, Quantity::Format::kDecimalSI)},
      {"memory", Quantity::of_int(std::int64_t{200} << 20, Quantity::Format::kBinarySI)}};
  return list;
}

}  // namespace

ResourceList pod_requests(const Pod& pod, const PodRequestOptions& options) {
  return requests_of(pod, options, none());
}

ResourceList scored_requests(const Pod& pod, const PodRequestOptions& options) {
  if (!options.use_pod_level || !has_pod_level(pod)) {
    return requests_of(pod, options, unnamed_in_scores());
  }
  ResourceList requests = pod_requests(pod, options);
  ResourceList unnamed;
  for (const auto& [name, quantity] : unnamed_in_scores()) {
    const auto found = requests.find(name);
    if (found == requests.end() || found->second.is_zero()) {
      unnamed.emplace(name, quantity);
    }
  }
  return unnamed.empty() ? std::move(requests) : requests_of(pod, options, unnamed);
}

}  // namespace berth::api
