#include "app/config/in_tree.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "framework/fields.h"
#include "framework/points.h"
#include "framework/registry.h"

namespace berth::app {
namespace {

using framework::Fields;
using framework::PluginEntry;
using framework::Point;
using framework::Points;

constexpr std::int64_t kDay = 86'400;
constexpr Fields::Range kPercent{.min = 0, .max = 100};
constexpr Fields::Range kWeight{.min = 1, .max = 100};

// Points of a curve from how much is used to how good that is.
void check_shape(Fields& fields, std::string_view name) {
  std::int64_t before = -1;
  for (Fields& point : fields.objects(name)) {
    const std::int64_t utilization = point.integer("utilization", 0, kPercent);
    static_cast<void>(point.integer("score", 0, {.min = 0, .max = 10}));
    point.finish();
    if (utilization <= before) {
      point.complain("utilization", "does not go up from point to point");
    }
    before = utilization;
  }
}

void check_volume_binding(Fields& fields) {
  static_cast<void>(fields.integer("bindTimeoutSeconds", 600, {.min = 0, .max = kDay}));
  check_shape(fields, "shape");
}

void check_node_affinity(Fields& fields) {
  // A NodeAffinity of the pod's own format.
  static_cast<void>(fields.value("addedAffinity"));
}

void check_resources_fit(Fields& fields) {
  static_cast<void>(fields.texts("ignoredResources"));
  static_cast<void>(fields.texts("ignoredResourceGroups"));
  auto strategy = fields.object("scoringStrategy");
  if (!strategy) {
    return;
  }
  if (strategy->text("type", "LeastAllocated") != "LeastAllocated") {
    strategy->complain("type", "only LeastAllocated is there yet");
  }
  for (Fields& resource : strategy->objects("resources")) {
    if (resource.text("name", "").empty()) {
      resource.complain("", "lacks the name of the resource");
    }
    static_cast<void>(resource.integer("weight", 1, kWeight));
    resource.finish();
  }
  strategy->finish();
}

class List {
 public:
  void add(std::string_view name,
           Points points,
           std::int64_t weight = 1,
           std::function<void(Fields&)> check = {}) {
    const auto added = registry_.add(PluginEntry{
        .name = std::string(name), .points = points, .weight = weight, .check = std::move(check)});
    BERTH_ASSERT(added.has_value(), "each stands here once");
  }
  framework::Registry take() { return std::move(registry_); }

 private:
  framework::Registry registry_;
};

}  // namespace

framework::Registry known_plugins() {
  constexpr Points kFilter{Point::kFilter, Point::kQueueingHint};
  constexpr Points kBothFilters{Point::kPreFilter, Point::kFilter, Point::kQueueingHint};
  constexpr Points kFiltersAndScores{
      Point::kPreFilter, Point::kFilter, Point::kPreScore, Point::kScore, Point::kQueueingHint};
  // kube-scheduler's order and weights.
  List list;
  list.add("SchedulingGates", {Point::kPreEnqueue, Point::kQueueingHint});
  list.add("PrioritySort", {Point::kQueueSort});
  list.add("NodeName", kFilter);
  list.add("NodeUnschedulable", kFilter);
  list.add("TaintToleration",
           {Point::kFilter, Point::kPreScore, Point::kScore, Point::kQueueingHint},
           3);
  list.add("NodeAffinity", kFiltersAndScores, 2, check_node_affinity);
  list.add("NodeResourcesFit", kFiltersAndScores, 1, check_resources_fit);
  list.add("VolumeRestrictions", kBothFilters);
  list.add("NodeVolumeLimits", kBothFilters);
  list.add("VolumeBinding",
           {Point::kPreFilter,
            Point::kFilter,
            Point::kPreScore,
            Point::kScore,
            Point::kReserve,
            Point::kPreBind,
            Point::kQueueingHint},
           1,
           check_volume_binding);
  list.add("VolumeZone", kBothFilters);
  list.add("DefaultBinder", {Point::kBind});
  return list.take();
}

}  // namespace berth::app
