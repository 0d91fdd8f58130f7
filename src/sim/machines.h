// The machines of a scenario. On each of them processes follow each other: one runs, crashes or is
// ended, and after a while the next one starts.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/cluster.h"

namespace berth::sim {

// What runs on a machine. Destroying it is a crash.
class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  // Asks it to end in order.
  virtual void cancel() = 0;
  virtual bool has_ended() const = 0;
  // It may act as the leader now.
  virtual bool is_leader() const = 0;
};

// What a program starts with.
struct ProgramStart {
  rt::Runtime& process;
  std::string name;             // no other ever has it
  std::function<void()> crash;  // see world::InProcessClient
};

// Clocks outlive the programs that ran by them, and the cluster: their writes may still be under
// way.
using Clocks = std::vector<std::unique_ptr<rt::SimulatedProcess>>;

class Machines {
 public:
  struct Options {
    std::size_t count = 2;
    std::function<std::unique_ptr<Program>(ProgramStart start)> start;
    // Told after every step of the simulation how many programs may act as the leader.
    std::function<void(std::size_t leaders)> on_step;
    // Something should have come further.
    std::function<void(const std::string& what)> on_stalled;
  };

  // Both outlive it.
  Machines(world::Cluster& cluster, Clocks& clocks, Options options);

  // Starts a program on each machine, of which all but the first may be a minute late; and trouble:
  // kills that no write brings about, orderly ends, and a history that is forgotten.
  void start();
  // Runs, and ends programs that crash before virtual time goes on. False when time does not go on
  // any more.
  bool run_for(rt::Duration duration);

  // nullptr while there is none on the machine.
  std::vector<Program*> programs() const;

 private:
  struct Machine {
    std::unique_ptr<Program> program;
    std::string name;
    int starts = 0;
    bool wants_crash = false;
  };

  void start_on(std::size_t index);
  rt::Task<void> start_after(std::size_t index, rt::Duration pause);
  rt::Task<void> make_trouble();
  rt::Task<void> end_program(std::size_t index);

  world::Cluster& cluster_;
  rt::Simulation& simulation_;
  Clocks& clocks_;
  Options options_;
  std::vector<Machine> machines_;
  rt::Scope scope_;
};

}  // namespace berth::sim
