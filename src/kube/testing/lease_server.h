// For tests: the lease of a server, and processes that stand for election by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/objects/lease.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/elector.h"
#include "kube/fence.h"
#include "kube/problem.h"
#include "kube/testing/fake_client.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube::testing {

// The one lease of a server.
struct LeaseServer {
  Document document() const { return {.bytes = api::to_json(*lease)}; }

  Result<Document> get() const {
    return lease ? Result<Document>(document()) : Error(ErrorCode::kNotFound, "no lease");
  }
  Result<Document> create(const CreateRequest& request) {
    if (lease) {
      return Error(ErrorCode::kExists, "there is a lease");
    }
    return store(*api::from_json<api::Lease>(request.body));
  }
  Result<Document> patch(const PatchRequest& request) {
    api::Lease patch = *api::from_json<api::Lease>(request.body);
    if (!lease) {
      return Error(ErrorCode::kNotFound, "no lease");
    }
    if (patch.metadata.resource_version != lease->metadata.resource_version) {
      return Error(ErrorCode::kConflict, "another version");
    }
    return store(std::move(patch));
  }
  Result<Document> store(api::Lease next) {
    lease = std::move(next);
    lease->metadata.uid = "u";
    lease->metadata.resource_version = std::to_string(++version);
    return document();
  }
  std::string holder() const { return lease ? lease->spec.holder_identity.value_or("") : "-"; }

  std::optional<api::Lease> lease;
  int version = 0;
};

class LeaseClient : public FakeClient {
 public:
  LeaseClient(rt::Runtime& runtime, LeaseServer& server) : FakeClient(runtime) {
    on_get = [this, &server](const GetRequest&) -> Result<Document> {
      return is_cut ? unavailable() : server.get();
    };
    on_create = [this, &server](const CreateRequest& request) -> Result<Document> {
      return is_cut ? unavailable() : server.create(request);
    };
    on_patch = [this, &server](const PatchRequest& request) -> Result<Document> {
      if (is_cut) {
        return unavailable();
      }
      auto answer = server.patch(request);
      if (loses_answers) {
        return Error(ErrorCode::kUnknownOutcome, "lost");
      }
      return answer;
    };
  }
  bool is_cut = false;
  bool loses_answers = false;

 private:
  static Error unavailable() { return {ErrorCode::kUnavailable, "cut off"}; }
};

struct Process {
  // Stands for election after `delay`. Its tasks are named after it.
  Process(rt::Simulation& simulation,
          LeaseServer& server,
          const std::string& identity,
          rt::Duration delay = {})
      : runtime(simulation, {}),
        client(runtime, server),
        elector(runtime,
                client,
                {.lease = {"n", "l"}, .identity = identity},
                {.on_elected = [this] { ++elected; },
                 .on_deposed = [this] { ++deposed; },
                 .on_problem = [this](const Problem& problem) { problems.push_back(problem); }}),
        fenced(runtime, client, elector.fence()),
        scope(std::in_place, runtime, identity) {
    scope->spawn("elector", stand(this, delay));
  }

  static rt::Task<void> stand(Process* process, rt::Duration delay) {
    const rt::CancelToken token = process->scope->token();
    if (delay > rt::Duration{}) {
      co_await rt::sleep_for(process->runtime, delay, token);
    }
    co_await process->elector.run(token);
  }

  rt::SimulatedProcess runtime;
  LeaseClient client;
  int elected = 0;
  int deposed = 0;
  std::vector<Problem> problems;
  Elector elector;
  FencedClient fenced;
  std::optional<rt::Scope> scope;
};

struct TwoProcesses {
  explicit TwoProcesses(std::uint64_t seed, rt::Duration delay_of_b = {})
      : simulation(seed), a(simulation, server, "a"), b(simulation, server, "b", delay_of_b) {}

  Process& leader() { return a.elector.is_leader() ? a : b; }
  Process& other() { return a.elector.is_leader() ? b : a; }

  rt::Simulation simulation;
  LeaseServer server;
  Process a;
  Process b;
};

// Writes through the fence at that time, and notes what came of it: kInternal for an answer.
inline rt::Task<void> write_later(Process* process,
                                  rt::Time when,
                                  rt::Until until,
                                  std::optional<ErrorCode>* code) {
  co_await rt::sleep_until(process->runtime, when, {});
  auto answer = co_await process->fenced.remove({}, until);
  *code = answer ? ErrorCode::kInternal : answer.error().code();
}

}  // namespace berth::kube::testing
