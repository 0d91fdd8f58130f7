// The parameters of a StorageClass whose provisioner is simulated: how long a volume takes, how
// much room there is, and what goes wrong. docs/reference/actors.md is for who writes them.
//
//   parameters:
//     latency: 1s-5s           # drawn anew for each volume
//     capacity: 100Gi          # of each segment; without it there is no end
//     topologyKey: zone        # the node label that makes segments; "" makes one for all nodes
//     failure: ResourceExhausted
//     failNodes: n1,n2         # only where one of these was selected
//     failTimes: "2"           # the first so many tries for a claim
//     failOneIn: "4"           # one of so many tries, drawn
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/storage.h"
#include "base/result.h"
#include "rt/time.h"

namespace berth::actors {

// "sim.berth.dev", "sim.berth.dev/NAME" or "NAME.sim.berth.dev". The last is the one to take where
// a CSIDriver object goes with it: its name is the provisioner's, and may not have a slash.
bool is_simulated(std::string_view provisioner);
// The name that stands in the volumes, which may not have a slash either.
std::string driver_of(std::string_view provisioner);

// How the attempt to make a volume ends, as a CSI driver would say it.
enum class Outcome : std::uint8_t {
  kOk,
  kResourceExhausted,   // no room here; elsewhere perhaps
  kUnavailable,         // not now; it may have been made nevertheless
  kDeadlineExceeded,    // the same
  kAborted,             // the same
  kInvalidArgument,     // not like that
  kFailedPrecondition,  // not as things are
  kInternal,
};
// "ResourceExhausted"
std::string_view name_of(Outcome outcome);
std::optional<Outcome> find_outcome(std::string_view name);

struct SimClass {
  rt::Duration latency_min{};
  rt::Duration latency_max{};
  std::optional<std::int64_t> capacity;  // bytes of each segment
  std::string topology_key;              // empty: one segment for all

  Outcome failure = Outcome::kUnavailable;
  std::vector<std::string> fail_nodes;  // empty: anywhere
  std::uint64_t fail_times = 0;
  std::uint64_t fail_one_in = 0;  // 0: never by chance
  bool fails_always = false;      // a failure without times or chances
};

// kInvalid names the parameter that cannot be understood; unknown ones cannot either.
Result<SimClass> read_sim_class(const api::StorageClass& storage_class);

// Whether the try that follows `tries` others for the same claim fails. `chance` is drawn: 0 is bad
// luck, and it is below fail_one_in where that is not 0.
bool is_to_fail(const SimClass& of,
                std::string_view node,
                std::uint64_t tries,
                std::uint64_t chance);

// What is to be done after an outcome.
enum class Next : std::uint8_t {
  kDone,
  kReschedule,  // the node is given back to the scheduler
  kRetry,       // after a while
  kRetryLate,   // it would take a change
};
Next next_after(Outcome outcome, bool has_topology, bool is_selected);

}  // namespace berth::actors
