#include "api/objects/pod_group.h"

#include "api/table.h"

namespace berth::api {

const Table& NetworkTopology::table() {
  using S = NetworkTopology;
  static const Table table{
      json_field("mode", &S::mode),
      json_field("highestTierAllowed", &S::highest_tier_allowed),
  };
  return table;
}

const Table& PodGroupSpec::table() {
  using S = PodGroupSpec;
  static const Table table{
      json_field("minMember", &S::min_member),
      json_field("minTaskMember", &S::min_task_member),
      json_field("queue", &S::queue),
      json_field("priorityClassName", &S::priority_class_name),
      json_field("minResources", &S::min_resources),
      json_field("networkTopology", &S::network_topology),
  };
  return table;
}

const Table& PodGroupCondition::table() {
  using S = PodGroupCondition;
  static const Table table{
      json_field("type", &S::type),
      json_field("status", &S::status),
      json_field("transitionID", &S::transition_id),
      json_field("lastTransitionTime", &S::last_transition_time),
      json_field("reason", &S::reason),
      json_field("message", &S::message),
  };
  return table;
}

const Table& PodGroupStatus::table() {
  using S = PodGroupStatus;
  static const Table table{
      json_field("phase", &S::phase),
      json_field("conditions", &S::conditions),
      json_field("running", &S::running),
      json_field("succeeded", &S::succeeded),
      json_field("failed", &S::failed),
  };
  return table;
}

const Table& PodGroup::table() {
  using S = PodGroup;
  static const Table table{
      json_field("metadata", &S::metadata),
      json_field("spec", &S::spec),
      json_field("status", &S::status),
  };
  return table;
}

}  // namespace berth::api
