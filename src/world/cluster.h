// A simulated cluster seen from outside: one store, API servers that may lag behind it, and the
// network to them.
//
// What a process has sent lives here and not in the process: a write that is on its way lands even
// if its sender crashes meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "rt/event.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/faults.h"
#include "world/store.h"

namespace berth::world {

// A write on its way.
struct Write {
  using Request = std::variant<kube::CreateRequest, kube::PatchRequest, kube::RemoveRequest>;

  std::string sender;
  WriteKind kind = WriteKind::kCreate;
  Request request;
  // Of a process that is tried, and not of who makes its surroundings: what befalls it is counted.
  bool is_tried = false;
  // Its sender crashed when it had sent it.
  bool is_left_behind = false;
  // By the sender's clock, which goes on when the sender is no more.
  rt::Time sent{};
  rt::Time landed{};

  const api::Kind& object_kind() const;
  const kube::ObjectKey& key() const;
  // "patch Pod default/a"
  std::string text() const;
};

// What an API server knows: the store as it was at some resourceVersion.
class ApiServer {
 public:
  ApiServer(rt::Simulation& simulation, Store& store, Faults& faults);

  std::uint64_t view() const { return view_; }
  // Wakes when the view has moved.
  rt::WaitQueue& moved() { return moved_; }

  // Follows the store for ever, sometimes late.
  rt::Task<void> follow(rt::WaitQueue* changed);

 private:
  rt::Simulation& simulation_;
  Store& store_;
  Faults& faults_;
  std::uint64_t view_;
  rt::WaitQueue moved_;
};

class Cluster {
 public:
  // Who judges a run sees every write as it is sent and as it lands (or is refused).
  struct Observer {
    std::function<void(const Write& write)> sent = {};
    std::function<void(const Write& write, const Result<std::string>& outcome)> landed = {};
  };

  static constexpr std::size_t kServers = 2;

  Cluster(rt::Simulation& simulation, Faults& faults, std::size_t history_max);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  rt::Simulation& simulation() { return simulation_; }
  Faults& faults() { return faults_; }
  Store& store() { return store_; }
  ApiServer& server(std::size_t index) { return *servers_[index]; }
  void observe(Observer observer) { observer_ = std::move(observer); }

  // What becomes of a write that was sent; `arrived` is set when the answer is there.
  struct Answer {
    explicit Answer(rt::Runtime& runtime) : arrived(runtime, "the answer to a write") {}
    rt::Event arrived;
    std::optional<Result<std::string>> outcome;
  };
  // Sends a write of a process, which lives as long as the cluster even if what runs in it does
  // not.
  std::shared_ptr<Answer> send(Write write, rt::Runtime& process);

 private:
  struct Refusal {
    Fault fault = Fault::kServerError;
    Phase phase = Phase::kBefore;
    Error error;
  };
  // How one write is to fare; drawn when it is sent, and counted as far as it comes to that.
  struct Fate {
    rt::Duration way_there{};
    rt::Duration handling{};
    rt::Duration way_back{};
    std::optional<Phase> slow;
    std::optional<Refusal> refused;
    std::optional<Phase> lost;
  };

  Fate draw_fate(const Write& write);
  std::optional<Refusal> draw_refusal(WriteKind kind);
  void count(const Write& write, Fault fault, Phase phase);
  rt::Task<void> deliver(Write write,
                         Fate fate,
                         std::shared_ptr<Answer> answer,
                         rt::Runtime* process);
  Result<std::string> apply(const Write& write);

  rt::Simulation& simulation_;
  Faults& faults_;
  Store store_;
  std::uint64_t subscription_;
  Observer observer_;
  rt::WaitQueue changed_;
  std::array<std::unique_ptr<ApiServer>, kServers> servers_;
  rt::Scope network_;  // last: what runs in it uses all of the above
};

}  // namespace berth::world
