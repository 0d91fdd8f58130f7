// For tests: a server that keeps events, and a recorder that sends them there.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/event_recorder_state.h"
#include "kube/problem.h"
#include "kube/testing/fake_client.h"
#include "kube/typed.h"
#include "rt/scope.h"
#include "rt/simulation.h"

namespace berth::kube::testing {

inline RecordedEvent event_of(const std::string& pod, const std::string& reason = "Scheduled") {
  return {.regarding = {.kind = "Pod", .ns = "n", .name = pod, .uid = "uid-" + pod},
          .reason = reason,
          .action = "Binding",
          .note = "note"};
}

// Events as a server keeps them.
struct EventServer {
  explicit EventServer(std::uint64_t seed) : simulation(seed), client(simulation) {
    client.on_create = [this](const CreateRequest& request) -> Result<Document> {
      if (!errors.empty()) {
        Error error = std::move(errors.front());
        errors.pop_front();
        return error;
      }
      if (!created.emplace(request.key.name, request).second) {
        return Error(ErrorCode::kExists, "is there");
      }
      uids[request.key.name] = "uid-" + std::to_string(++uids_given);
      if (loses_answers) {
        return Error(ErrorCode::kUnknownOutcome, "lost");
      }
      return document(request.key.name);
    };
    client.on_get = [this](const GetRequest& request) -> Result<Document> {
      if (!created.contains(request.key.name)) {
        return Error(ErrorCode::kNotFound, "expired");
      }
      return document(request.key.name);
    };
    client.on_patch = [this](const PatchRequest& request) -> Result<Document> {
      if (!patch_errors.empty()) {
        Error error = std::move(patch_errors.front());
        patch_errors.pop_front();
        return error;
      }
      if (!created.contains(request.key.name)) {
        return Error(ErrorCode::kNotFound, "expired");
      }
      if (uid_in(request) != uids.at(request.key.name)) {
        return Error(ErrorCode::kInvalid, "metadata.uid: field is immutable");
      }
      patches.push_back(request);
      return document(request.key.name);
    };
  }

  Document document(const std::string& name) const {
    return {.bytes =
                fmt::format(R"({{"metadata":{{"name":"{}","uid":"{}"}}}})", name, uids.at(name))};
  }
  static std::string uid_in(const PatchRequest& request) {
    const auto head = read_head({.bytes = request.body});
    return head ? head->metadata.uid : std::string();
  }

  void start(EventRecorderOptions options = {},
             EventSourceNames::Group group = EventSourceNames::Group::kEvents) {
    recorder.emplace(simulation,
                     client,
                     EventSourceNames{.component = "berth", .instance = "b-0", .group = group},
                     options,
                     [this](const Problem& problem) { problems.push_back(problem); });
    scope.emplace(simulation, "test");
    scope->spawn("events", recorder->run(scope->token()));
  }

  rt::Simulation simulation;
  FakeClient client;
  std::deque<Error> errors;  // of creates
  std::deque<Error> patch_errors;
  bool loses_answers = false;  // of creates
  std::map<std::string, CreateRequest> created;
  std::map<std::string, std::string> uids;  // by name
  int uids_given = 0;
  std::vector<Problem> problems;
  std::vector<PatchRequest> patches;
  std::optional<EventRecorder> recorder;
  std::optional<rt::Scope> scope;
};

}  // namespace berth::kube::testing
