// A cluster as the engine sees it: informers that deliver into the catalog, and one ledger.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/pod.h"
#include "base/hash_map.h"
#include "volumes/catalog.h"
#include "volumes/ledger.h"
#include "volumes/switches.h"
#include "volumes_scenario.h"

namespace berth::vector_check {

class VolumesWorld {
 public:
  // All objects of the scenario and both of its pods are known from the start.
  VolumesWorld(const Scenario& scenario, const volumes::Switches& switches);

  void deliver(const Event& event);
  void deliver(const std::vector<Event>& events);

  volumes::Catalog& catalog() { return catalog_; }
  volumes::Ledger& ledger() { return ledger_; }
  const volumes::Switches& switches() const { return switches_; }
  // Null when the pod is gone.
  PodPtr find_pod(std::string_view ns, std::string_view name) const;
  // In name order.
  std::vector<std::string> node_names() const;

  // What is promised, as rows record it.
  boost::json::object assumed() const;

 private:
  void set(const Object& object);
  void remove(const Object& object);

  const volumes::Switches switches_;
  volumes::Catalog catalog_;
  volumes::Ledger ledger_;
  HashMap<std::string, PodPtr> pods_;  // by "namespace/name"
};

}  // namespace berth::vector_check
