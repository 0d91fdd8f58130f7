// A world of nodes and local volumes as `controlplane make-volumes` writes it, and the catalog that
// knows it. The Go peer reads the same file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "base/result.h"
#include "volumes/catalog.h"
#include "volumes/view.h"

namespace berth::bench {

// What comes between two pods: a volume and a node have changed, and a pod has come with a claim of
// its own.
struct Step {
  volumes::VolumePtr volume;
  volumes::NodePtr node;
  volumes::ClaimPtr claim;
  std::shared_ptr<const api::Pod> pod;
};

struct World {
  std::vector<volumes::ClassPtr> classes;
  std::vector<volumes::NodePtr> nodes;
  std::vector<volumes::VolumePtr> volumes;
  std::vector<volumes::ClaimPtr> claims;
  // Two by two they take back what they changed: after the last the world is as it was.
  std::vector<Step> steps;
};

Result<World> read_world(const std::string& file);

// A catalog that walks through the steps of its world, again and again.
class Walk {
 public:
  explicit Walk(const World& world);

  volumes::Catalog& catalog() { return *catalog_; }
  const World& world() const { return world_; }

  // The next step: its volume, node and claim, the changed ones as new versions. Its claim is to be
  // forgotten before the one after it.
  Step next();
  std::size_t number() const { return number_; }  // of the last step
  void apply(const Step& step);
  void forget(const Step& step);

 private:
  const World& world_;
  std::unique_ptr<volumes::Catalog> catalog_;
  std::size_t number_ = 0;
  std::size_t next_ = 0;
  std::int64_t version_ = 2'000'000'000;
};

}  // namespace berth::bench
