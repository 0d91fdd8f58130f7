// Tells people what happened to an object, by Event objects.
//
//   EventRecorder recorder(runtime, client, {.component = "berth", .instance = pod_name}, {});
//   scope.spawn("events", recorder.run(scope.token()));
//   recorder.record({.regarding = {.kind = "Pod", .ns = "default", .name = "web-0", .uid = uid},
//                    .reason = "Scheduled", .action = "Binding",
//                    .note = "assigned default/web-0 to node-1"});
//
// record() never waits and never fails: what the budget or the queue has no room for is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/event_recorder_state.h"
#include "kube/object_key.h"
#include "kube/problem.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {

struct EventSourceNames {
  enum class Group : std::uint8_t { kEvents, kCore };  // events.k8s.io/v1 or v1

  std::string component;  // "berth-scheduler"
  std::string instance;   // which of them: the pod's name
  Group group = Group::kEvents;
};

class EventRecorder {
 public:
  // Between two awaits: an event could not be sent. Told once, and again when the reason is another
  // one or a request of the kind was answered in between.
  using OnProblem = std::function<void(const Problem& problem)>;

  // Runtime and client outlive it.
  EventRecorder(rt::Runtime& runtime,
                Client& client,
                EventSourceNames source,
                EventRecorderOptions options,
                OnProblem on_problem = {});

  void record(RecordedEvent event);

  // Sends what is recorded, until the token is cancelled; what is not sent by then is lost.
  rt::Task<void> run(rt::CancelToken token);

  const EventRecorderState::Counts& counts() const { return state_.counts(); }

 private:
  rt::Task<EventRecorderState::Input> send(EventRecorderState::Send send, rt::CancelToken token);
  rt::Task<EventRecorderState::Input> create(EventRecorderState::Send send, rt::Until until);
  rt::Task<EventRecorderState::Input> patch(EventRecorderState::Send send, rt::Until until);
  rt::Task<Result<std::string>> look_up_uid(ObjectKey key, rt::Until until);
  EventRecorderState::Input failed(NewsOfFailure& news, const Error& error);
  bool is_core() const { return source_.group == EventSourceNames::Group::kCore; }
  const api::Kind& kind() const;

  rt::Runtime& runtime_;
  Client& client_;
  EventSourceNames source_;
  OnProblem on_problem_;
  NewsOfFailure creates_;
  NewsOfFailure patches_;  // told apart: who may not patch can perhaps create
  EventRecorderState state_;
  rt::WaitQueue recorded_;
};

}  // namespace berth::kube
