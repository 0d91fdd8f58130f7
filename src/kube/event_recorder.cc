#include "kube/event_recorder.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "api/codec.h"
#include "api/kind.h"
#include "api/objects/core_event.h"
#include "api/objects/events_event.h"
#include "api/time.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/event_recorder_state.h"
#include "kube/json_object.h"
#include "kube/object_key.h"
#include "kube/problem.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

using State = EventRecorderState;

constexpr std::chrono::seconds kRequestTimeout{30};

// Events of objects that live in no namespace are kept in this one, as upstream.
std::string namespace_of(const RecordedEvent& event) {
  return event.regarding.ns.empty() ? "default" : event.regarding.ns;
}

api::Time seconds_of(api::MicroTime time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

std::string events_body(const State::Send& send, const EventSourceNames& source) {
  api::events::Event event{.event_time = send.first,
                           .reporting_controller = source.component,
                           .reporting_instance = source.instance,
                           .action = send.event.action,
                           .reason = send.event.reason,
                           .regarding = send.event.regarding,
                           .note = send.event.note,
                           .type = send.event.type};
  event.metadata.ns = namespace_of(send.event);
  event.metadata.name = send.name;
  if (send.count > 1) {
    event.series = api::events::EventSeries{.count = static_cast<std::int32_t>(send.count),
                                            .last_observed_time = send.last};
  }
  return api::to_json(event);
}

std::string core_body(const State::Send& send, const EventSourceNames& source) {
  api::Event event{.involved_object = send.event.regarding,
                   .reason = send.event.reason,
                   .message = send.event.note,
                   .source = {.component = source.component},
                   .first_timestamp = seconds_of(send.first),
                   .last_timestamp = seconds_of(send.last),
                   .count = static_cast<std::int32_t>(send.count),
                   .type = send.event.type,
                   .action = send.event.action,
                   .reporting_component = source.component,
                   .reporting_instance = source.instance};
  event.metadata.ns = namespace_of(send.event);
  event.metadata.name = send.name;
  return api::to_json(event);
}

// The count is absolute, so that a patch can be sent twice.
std::string patch_body(const State::Send& send, EventSourceNames::Group group) {
  if (group == EventSourceNames::Group::kCore) {
    return JsonObject()
        .number("count", send.count)
        .text("lastTimestamp", api::to_text(seconds_of(send.last)))
        .done();
  }
  const std::string series = JsonObject()
                                 .number("count", send.count)
                                 .text("lastObservedTime", api::to_text(send.last))
                                 .done();
  return JsonObject().json("series", series).done();
}

}  // namespace

EventRecorder::EventRecorder(rt::Runtime& runtime,
                             Client& client,
                             EventSourceNames source,
                             EventRecorderOptions options,
                             OnProblem on_problem)
    : runtime_(runtime),
      client_(client),
      source_(std::move(source)),
      on_problem_(std::move(on_problem)),
      state_(options, runtime.now()),
      recorded_(runtime, "events to send") {}

void EventRecorder::record(RecordedEvent event) {
  const State::Recorded recorded{
      .event = std::move(event), .wall = runtime_.wall_now(), .nonce = runtime_.random().next()};
  const State::Action action = state_.step(recorded, runtime_.now());
  if (std::holds_alternative<State::Wake>(action)) {
    recorded_.notify_one();
  }
}

rt::Task<void> EventRecorder::run(rt::CancelToken token) {
  State::Input input = State::Ready{};
  while (!token.is_cancelled()) {
    State::Action action = state_.step(input, runtime_.now());
    input = State::Ready{};
    if (auto* sending = std::get_if<State::Send>(&action)) {
      input = co_await send(std::move(*sending), token);
    } else if (const auto* pause = std::get_if<State::Sleep>(&action)) {
      co_await rt::sleep_until(runtime_, pause->until, token);
    } else {
      co_await recorded_.wait({.token = token});
    }
  }
}

const api::Kind& EventRecorder::kind() const {
  return is_core() ? api::Event::kKind : api::events::Event::kKind;
}

rt::Task<State::Input> EventRecorder::send(State::Send send, rt::CancelToken token) {
  const rt::Until until{.token = token, .deadline = rt::after(runtime_.now(), kRequestTimeout)};
  return send.is_create ? create(std::move(send), until) : patch(std::move(send), until);
}

rt::Task<State::Input> EventRecorder::create(State::Send send, rt::Until until) {
  auto created = co_await client_.create(
      {.kind = &kind(),
       .key = {.ns = namespace_of(send.event), .name = send.name},
       .body = is_core() ? core_body(send, source_) : events_body(send, source_)},
      until);
  if (!created) {
    co_return failed(creates_, created.error());
  }
  creates_.answered();
  // An answer that cannot be read says nothing about its uid, which is looked up when it is needed.
  auto head = read_head(*created);
  co_return State::Sent{.uid = head ? std::move(head->metadata.uid) : std::string()};
}

rt::Task<State::Input> EventRecorder::patch(State::Send send, rt::Until until) {
  const ObjectKey key{.ns = namespace_of(send.event), .name = send.name};
  if (send.uid.empty()) {
    auto uid = co_await look_up_uid(key, until);
    if (!uid) {
      co_return failed(patches_, uid.error());
    }
    send.uid = *std::move(uid);
  }
  const std::string body = guarded_merge(patch_body(send, source_.group), {.uid = send.uid});
  auto patched = co_await client_.patch({.kind = &kind(), .key = key, .body = body}, until);
  if (patched) {
    patches_.answered();
    co_return State::Sent{.uid = std::move(send.uid)};
  }
  if (patched.error().code() == ErrorCode::kInvalid) {
    // Perhaps because it is another object by now: then ours is gone.
    auto uid = co_await look_up_uid(key, until);
    if (uid && *uid != send.uid) {
      co_return State::Failed{.code = ErrorCode::kNotFound};
    }
  }
  co_return failed(patches_, patched.error());
}

rt::Task<Result<std::string>> EventRecorder::look_up_uid(ObjectKey key, rt::Until until) {
  auto found = co_await client_.get({.kind = &kind(), .key = std::move(key)}, until);
  if (!found) {
    co_return std::move(found).error();
  }
  auto head = read_head(*found);
  if (!head) {
    co_return std::move(head).error();
  }
  if (head->metadata.uid.empty()) {
    co_return Error(ErrorCode::kInvalid, "metadata.uid: is missing");
  }
  co_return std::move(head->metadata.uid);
}

State::Input EventRecorder::failed(NewsOfFailure& news, const Error& error) {
  // Events expire, and an event that is there already was created by a try whose answer was lost.
  const bool is_ordinary = error.code() == ErrorCode::kCancelled ||
                           (&news == &patches_ && error.code() == ErrorCode::kNotFound) ||
                           (&news == &creates_ && error.code() == ErrorCode::kExists);
  if (!is_ordinary && news.is_news(error.code()) && on_problem_) {
    on_problem_({Problem::What::kRequestFailed, &kind(), error});
  }
  return State::Failed{.code = error.code(), .retry_after = retry_after(error)};
}

}  // namespace berth::kube
