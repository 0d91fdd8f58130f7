#include "kube/elector.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/objects/lease.h"
#include "api/time.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/elector_state.h"
#include "kube/fence.h"
#include "kube/json_object.h"
#include "kube/problem.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

// A merge patch of the fields we own; what else a lease may have stays.
std::string body_of(const ElectorState::Write& write) {
  const api::LeaseSpec& from = write.spec;
  JsonObject spec;
  if (from.holder_identity) {
    spec.text("holderIdentity", *from.holder_identity);
  } else {
    spec.json("holderIdentity", "null");
  }
  spec.number("leaseDurationSeconds", from.lease_duration_seconds.value_or(0));
  if (from.acquire_time) {
    spec.text("acquireTime", api::to_text(*from.acquire_time));
  }
  if (from.renew_time) {
    spec.text("renewTime", api::to_text(*from.renew_time));
  }
  spec.number("leaseTransitions", from.lease_transitions.value_or(0));
  return guarded_merge(JsonObject().json("spec", spec.done()).done(),
                       {.resource_version = write.resource_version});
}

// How an election goes: another one took the lease first, or nobody wants ours any more.
bool is_ordinary(ErrorCode code) {
  return code == ErrorCode::kConflict || code == ErrorCode::kExists ||
         code == ErrorCode::kCancelled;
}

}  // namespace

Elector::Elector(rt::Runtime& runtime,
                 Client& client,
                 ElectorOptions options,
                 ElectorHandlers handlers)
    : runtime_(runtime),
      client_(client),
      options_(options),
      handlers_(std::move(handlers)),
      state_(std::move(options)),
      fence_(runtime),
      elected_(runtime, "leadership") {}

// However it ends, given up or even before it begins: nobody renews the lease any more.
struct Elector::Run {
  explicit Run(Elector& its_elector) : elector(its_elector) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    elector.fence_.drop();
    elector.is_over_ = true;
    elector.elected_.notify_all();
  }

  Elector& elector;
};

rt::Task<void> Elector::run(rt::CancelToken token) {
  return stand(std::make_unique<Run>(*this), token);
}

rt::Task<void> Elector::stand(std::unique_ptr<Run> /*run*/, rt::CancelToken token) {
  ElectorState::Input input = ElectorState::Tick{};
  for (;;) {
    ElectorState::Action action = step(input);
    if (token.is_cancelled()) {
      action = step(ElectorState::Stop{});
      token = {};  // what is to be done now is not to be cut short
    }
    follow_state();
    if (std::holds_alternative<ElectorState::End>(action)) {
      co_return;
    }
    if (auto* write = std::get_if<ElectorState::Write>(&action); write && write->is_release) {
      co_await release(std::move(*write));
      co_return;
    }
    input = co_await act(std::move(action), token);
  }
}

ElectorState::Action Elector::step(const ElectorState::Input& input) {
  return state_.step(input, runtime_.now(), runtime_.wall_now(), runtime_.random());
}

rt::Task<ElectorState::Input> Elector::act(ElectorState::Action action, rt::CancelToken token) {
  if (auto* sleep = std::get_if<ElectorState::Sleep>(&action)) {
    co_await rt::sleep_until(runtime_, sleep->until, token);
    co_return ElectorState::Tick{};
  }
  if (auto* read = std::get_if<ElectorState::Read>(&action)) {
    auto lease = co_await get_object<api::Lease>(
        &client_, options_.lease, {.token = token, .deadline = read->deadline});
    if (!lease && lease.error().code() != ErrorCode::kNotFound) {
      co_return failed(reads_, lease.error());
    }
    reads_.answered();
    co_return ElectorState::LeaseRead{lease ? std::optional(*std::move(lease)) : std::nullopt};
  }
  std::optional<Result<api::Lease>> written;
  if (auto* create = std::get_if<ElectorState::Create>(&action)) {
    written = co_await create_object<api::Lease>(
        &client_, std::move(create->lease), {.token = token, .deadline = create->deadline});
  } else {
    auto& write = std::get<ElectorState::Write>(action);
    written = co_await patch_object<api::Lease>(
        &client_, options_.lease, body_of(write), {.token = token, .deadline = write.deadline});
  }
  if (!*written) {
    co_return failed(writes_, written->error());
  }
  writes_.answered();
  co_return ElectorState::Written{**std::move(written)};
}

rt::Task<void> Elector::release(ElectorState::Write write) {
  // The next leader may begin as soon as the lease is free: nothing of ours may be under way then.
  // What became unknown longer ago than a lease lasts could land under the next leader either way.
  const rt::Until until{.deadline = write.deadline};
  co_await fence_.wait_until_idle(until);
  const std::optional<rt::Time> unknown = fence_.last_unknown();
  if (fence_.writes_in_flight() != 0 || runtime_.now() < keep_until_ ||
      (unknown && runtime_.now() - *unknown < options_.lease_duration)) {
    co_return;
  }
  auto released =
      co_await patch_object<api::Lease>(&client_, options_.lease, body_of(write), until);
  if (!released) {
    failed(writes_, released.error());  // it runs out
  }
}

ElectorState::Failed Elector::failed(NewsOfFailure& news, const Error& error) {
  if (!is_ordinary(error.code()) && news.is_news(error.code()) && handlers_.on_problem) {
    handlers_.on_problem({Problem::What::kRequestFailed, &api::Lease::kKind, error});
  }
  return {.code = error.code(), .retry_after = retry_after(error)};
}

rt::Task<rt::Wake> Elector::wait_until_leader(rt::Until until) {
  while (!is_leader()) {
    if (is_over_) {
      co_return rt::Wake::kCancelled;
    }
    const rt::Wake wake = co_await elected_.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return wake;
    }
  }
  co_return rt::Wake::kNotified;
}

void Elector::follow_state() {
  if (state_.is_leader()) {
    fence_.raise_until(state_.leads_until());
    if (!is_elected_) {
      is_elected_ = true;
      elected_.notify_all();
      if (handlers_.on_elected) {
        handlers_.on_elected();
      }
    }
  } else if (is_elected_) {
    is_elected_ = false;
    fence_.drop();
    if (handlers_.on_deposed) {
      handlers_.on_deposed();
    }
  }
}

}  // namespace berth::kube
