#include "world/cluster.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
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
#include "rt/runtime.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/faults.h"
#include "world/store.h"

namespace berth::world {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr rt::Duration kHopMin = microseconds(100);
constexpr rt::Duration kHopMax = milliseconds(5);
constexpr rt::Duration kSlowMax = seconds(8);
// How long a write may be under way after its sender has given up on it: so long a kube-apiserver
// works on a request.
constexpr rt::Duration kLateMax = seconds(60);

}  // namespace

const api::Kind& Write::object_kind() const {
  return std::visit([](const auto& each) -> const api::Kind& { return *each.kind; }, request);
}

const kube::ObjectKey& Write::key() const {
  return std::visit([](const auto& each) -> const kube::ObjectKey& { return each.key; }, request);
}

std::string Write::text() const {
  return fmt::format("{} {} {}", name_of(kind), object_kind().name, key().text());
}

ApiServer::ApiServer(rt::Simulation& simulation, Store& store, Faults& faults)
    : simulation_(simulation),
      store_(store),
      faults_(faults),
      view_(store.resource_version()),
      moved_(simulation, "an event") {}

rt::Task<void> ApiServer::follow(rt::WaitQueue* changed) {
  while (true) {
    if (view_ == store_.resource_version()) {
      co_await changed->wait({});
    }
    if (faults_.hits(Fault::kLateEvents)) {
      const rt::Duration delay = faults_.random().between(milliseconds(10), seconds(6));
      co_await rt::sleep_for(simulation_, delay, {});
    }
    view_ = store_.resource_version();
    moved_.notify_all();
  }
}

Cluster::Cluster(rt::Simulation& simulation, Faults& faults, std::size_t history_max)
    : simulation_(simulation),
      faults_(faults),
      store_({.clock = [&simulation] { return simulation.wall_now(); },
              .random = simulation.random().fork(),
              .history_max = history_max}),
      subscription_(store_.on_change([this] { changed_.notify_all(); })),
      changed_(simulation, "a change of the store"),
      network_(simulation, "network") {
  for (auto& server : servers_) {
    server = std::make_unique<ApiServer>(simulation_, store_, faults_);
    network_.spawn("server", server->follow(&changed_));
  }
}

Cluster::~Cluster() {
  store_.forget_observer(subscription_);
}

std::shared_ptr<Cluster::Answer> Cluster::send(Write write, rt::Runtime& process) {
  if (observer_.sent) {
    observer_.sent(write);
  }
  simulation_.note(write.sender, "sends " + write.text());
  auto answer = std::make_shared<Answer>(process);
  Fate fate = draw_fate(write);
  network_.spawn("write", deliver(std::move(write), std::move(fate), answer, &process));
  return answer;
}

Cluster::Fate Cluster::draw_fate(const Write& write) {
  rt::Random& random = faults_.random();
  Fate fate{.way_there = random.between(kHopMin, kHopMax),
            .handling = random.between(kHopMin, kHopMax),
            .way_back = random.between(kHopMin, kHopMax)};
  fate.slow = faults_.draw(Fault::kLatency, write.kind);
  if (fate.slow) {
    const rt::Duration extra = random.between(milliseconds(50), kSlowMax);
    (*fate.slow == Phase::kBefore   ? fate.way_there
     : *fate.slow == Phase::kDuring ? fate.handling
                                    : fate.way_back) += extra;
  }
  fate.refused = draw_refusal(write.kind);
  if (!fate.refused) {
    fate.lost = faults_.draw(Fault::kLostAnswer, write.kind);
  }
  // What a crash leaves on its way lands late as often as at once: when somebody else leads.
  if (!fate.refused && write.is_left_behind && faults_.has(Fault::kLostAnswer) &&
      random.one_in(2)) {
    fate.lost = Phase::kDuring;
  }
  return fate;
}

std::optional<Cluster::Refusal> Cluster::draw_refusal(WriteKind kind) {
  if (const auto phase = faults_.draw(Fault::kTooManyRequests, kind)) {
    return Refusal{.fault = Fault::kTooManyRequests,
                   .phase = *phase,
                   .error = Error(ErrorCode::kTooManyRequests, "the server is busy")
                                .with_retry_after(seconds(faults_.random().between(1, 3)))};
  }
  if (const auto phase = faults_.draw(Fault::kServerError, kind)) {
    return Refusal{.fault = Fault::kServerError,
                   .phase = *phase,
                   .error = Error(ErrorCode::kServerError, "the server failed")};
  }
  if (const auto phase = faults_.draw(Fault::kConflict, kind)) {
    return Refusal{.fault = Fault::kConflict,
                   .phase = *phase,
                   .error = Error(ErrorCode::kConflict, "the object has been modified")};
  }
  return std::nullopt;
}

void Cluster::count(const Write& write, Fault fault, Phase phase) {
  if (write.is_tried) {
    faults_.count(fault, write.kind, phase);
  } else {
    faults_.count(fault);
  }
}

rt::Task<void> Cluster::deliver(Write write,
                                Fate fate,
                                std::shared_ptr<Answer> answer,
                                rt::Runtime* process) {
  const auto passed = [&](Phase phase) {
    if (fate.slow == phase) {
      count(write, Fault::kLatency, phase);
    }
  };
  // Whether somebody still waits for the answer.
  const auto is_awaited = [&] { return answer.use_count() > 1; };
  const Error unknown(ErrorCode::kUnknownOutcome, "the connection was lost");

  co_await rt::sleep_for(simulation_, fate.way_there, {});
  passed(Phase::kBefore);
  if (fate.lost == Phase::kBefore) {
    if (is_awaited()) {
      count(write, Fault::kLostAnswer, Phase::kBefore);
    }
    answer->outcome = unknown;
    answer->arrived.set();
    co_return;
  }
  if (fate.lost == Phase::kDuring) {
    answer->outcome = unknown;
    answer->arrived.set();
    fate.handling += faults_.random().between(milliseconds(1), kLateMax);
  }
  co_await rt::sleep_for(simulation_, fate.handling, {});
  passed(Phase::kDuring);
  if (fate.refused) {
    count(write, fate.refused->fault, fate.refused->phase);
  }
  Result<std::string> outcome =
      fate.refused ? Result<std::string>(fate.refused->error) : apply(write);
  write.landed = process->now();
  simulation_.note("server",
                   fmt::format("{} of {}: {}",
                               write.text(),
                               write.sender,
                               outcome ? "applied" : name_of(outcome.error().code())));
  if (observer_.landed) {
    observer_.landed(write, outcome);
  }
  if (fate.lost == Phase::kDuring) {
    if (outcome) {
      count(write, Fault::kLostAnswer, Phase::kDuring);
    }
    co_return;
  }
  co_await rt::sleep_for(simulation_, fate.way_back, {});
  if (is_awaited()) {
    passed(Phase::kAfter);
    if (fate.lost == Phase::kAfter && outcome) {
      count(write, Fault::kLostAnswer, Phase::kAfter);
    }
  }
  answer->outcome = fate.lost == Phase::kAfter ? Result<std::string>(unknown) : std::move(outcome);
  answer->arrived.set();
}

Result<std::string> Cluster::apply(const Write& write) {
  if (const auto* create = std::get_if<kube::CreateRequest>(&write.request)) {
    return store_.create(*create);
  }
  if (const auto* patch = std::get_if<kube::PatchRequest>(&write.request)) {
    return store_.patch(*patch);
  }
  if (auto removed = store_.remove(std::get<kube::RemoveRequest>(write.request)); !removed) {
    return std::move(removed).error();
  }
  return std::string();
}

}  // namespace berth::world
