// For tests: a simulated cluster on which the PV controller and the provisioner run as processes of
// their own, crash and come back, in virtual time. The test plays the users and the scheduler.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/provisioner.h"
#include "actors/pv_controller.h"
#include "api/objects/core_event.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "kube/client.h"
#include "rt/cancel.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/in_process_client.h"

namespace berth::actors {

class Quay {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::string_view faults = "none";
    std::optional<world::CrashAt> crash_at = {};
    PvControllerOptions controller = {};
    std::size_t controllers = 1;
    bool has_provisioner = true;
  };

  Quay() : Quay(Options{}) {}
  explicit Quay(Options options);
  ~Quay();

  // Objects, made and changed past the network. Claims are in the namespace "default"; `more` is
  // what follows the first members of a JSON object.
  void create(const api::Kind& kind, std::string_view ns, const std::string& body);
  void make_node(const std::string& name, std::string_view zone = "z1");
  void make_class(const std::string& name,
                  std::string_view provisioner,
                  std::string_view mode,
                  std::string_view more = "");
  void make_volume(const std::string& name,
                   std::string_view class_name,
                   std::string_view size,
                   std::string_view spec = "",
                   std::string_view meta = "");
  void make_claim(const std::string& name,
                  std::string_view class_name,
                  std::string_view size,
                  std::string_view spec = "",
                  std::string_view meta = "");
  void make_pod(const std::string& name, const std::string& claim);
  void patch_claim(const std::string& name, const std::string& body);
  void patch_volume(const std::string& name, const std::string& body);
  void set_status(const api::Kind& kind, const std::string& name, const std::string& status);
  void remove_claim(const std::string& name);
  void remove_volume(const std::string& name);
  void remove_node(const std::string& name);
  // What the scheduler writes.
  void select_node(const std::string& claim, std::string_view node);
  void point(const std::string& volume, const std::string& claim);

  std::optional<api::PersistentVolumeClaim> find_claim(const std::string& name);
  std::optional<api::PersistentVolume> find_volume(const std::string& name);
  api::PersistentVolumeClaim claim(const std::string& name) { return *find_claim(name); }
  api::PersistentVolume volume(const std::string& name) { return *find_volume(name); }
  std::vector<api::PersistentVolume> volumes();
  std::vector<api::CSIStorageCapacity> capacities();
  // "c: WaitForFirstConsumer" of every event, each once, sorted.
  std::vector<std::string> told();
  bool was_told(const std::string& name, std::string_view reason);
  // Every claim and volume in a line, without what differs from run to run.
  std::string summary();

  void run_for(rt::Duration duration);
  // Long enough for everything that happens by itself.
  void run() { run_for(std::chrono::minutes(3)); }
  // Ends the process of the controller as a crash does; it comes back by itself.
  void crash_controller() { programs_[0].wants_crash = true; }
  // Nothing of the controller runs until it is called again.
  void pause_controller(bool is_paused);

  rt::Simulation& simulation() { return simulation_; }
  world::Faults& faults() { return faults_; }
  world::Cluster& cluster() { return cluster_; }

 private:
  struct Process;
  struct Slot {
    std::unique_ptr<Process> process;
    bool is_provisioner = false;
    bool wants_crash = false;
    bool is_paused = false;
    int starts = 0;
  };

  void start(std::size_t index);
  rt::Task<void> restart(std::size_t index);
  template <typename Object>
  std::optional<Object> find(std::string_view ns, const std::string& name);
  template <typename Object>
  std::vector<Object> list();

  Options options_;
  rt::Simulation simulation_;
  world::Faults faults_;
  std::vector<std::unique_ptr<rt::SimulatedProcess>> clocks_;  // outlive what was sent by them
  world::Cluster cluster_;
  std::vector<Slot> programs_;
  rt::Scope scope_;
};

}  // namespace berth::actors
