// The input of a row of the set `volumes`: a cluster, the pods, and what happens meanwhile.
//
// Read once, replayed as often as there are combinations of switches to try.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/objects/pod.h"
#include "volumes/plan.h"
#include "volumes/rules.h"
#include "volumes/score.h"
#include "volumes/view.h"

namespace berth::vector_check {

using PodPtr = std::shared_ptr<const api::Pod>;

using Object = std::variant<PodPtr,
                            volumes::NodePtr,
                            volumes::VolumePtr,
                            volumes::ClaimPtr,
                            volumes::ClassPtr,
                            volumes::DriverPtr,
                            volumes::CsiNodePtr,
                            volumes::CapacityPtr>;

// What a watch brings.
struct Event {
  bool is_deletion = false;
  Object object;
};

struct Race {
  bool is_before_filter = false;  // else before Reserve
  std::vector<Event> events;
};

// One look at the wait condition, after the events.
struct WaitStep {
  std::string name;
  std::vector<Event> events;
  boost::json::array recorded_events;
};

struct Fault {
  std::size_t write = 0;  // counted from 0, over all writes
  std::string error;
};

// How PreBind is called; recorded beside its results.
struct BindInput {
  std::string node;  // asked for only where Reserve is skipped
  std::int64_t timeout_seconds = 0;
  bool skips_reserve = false;
  bool has_instant_controller = false;
  std::vector<Fault> faults;
  std::vector<WaitStep> waits;
};

struct Scenario {
  std::vector<Object> objects;
  PodPtr pod;
  PodPtr second_pod;
  volumes::Shape custom_shape;
  std::optional<Race> race;
  std::optional<BindInput> bind;
};

// Throws where the row is malformed, and where it has an input that is not known here: a replay
// that leaves something out proves nothing.
Scenario read_scenario(const boost::json::object& row);

// Throws for a kind that is not known here.
Object read_object(const boost::json::object& object);

}  // namespace berth::vector_check
