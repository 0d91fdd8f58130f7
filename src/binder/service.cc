#include "binder/service.h"

#include <memory>
#include <string>
#include <utility>

#include "binder/binder.h"
#include "kube/client.h"
#include "kube/elector.h"
#include "kube/elector_state.h"
#include "kube/fence.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::binder {

// What only a leader may do goes through the fence.
struct Service::Election {
  Election(rt::Runtime& runtime,
           kube::Client& client,
           const kube::ElectorOptions& options,
           kube::ElectorHandlers handlers)
      : elector(runtime, client, options, std::move(handlers)),
        fenced(runtime, client, elector.fence()) {}

  kube::Elector elector;
  kube::FencedClient fenced;
};

Service::Service(rt::Runtime& runtime, kube::Client& client, ServiceOptions options)
    : runtime_(runtime),
      options_(std::move(options)),
      informers_(runtime, client, options_.informers),
      election_(options_.election
                    ? std::make_unique<Election>(
                          runtime,
                          client,
                          *options_.election,
                          kube::ElectorHandlers{.on_elected = [this] { lead(); },
                                                .on_deposed = [this] { step_down(); },
                                                .on_problem = options_.on_election_problem})
                    : nullptr),
      binder_(runtime,
              election_ ? static_cast<kube::Client&>(election_->fenced) : client,
              informers_,
              options_.binder),
      changed_(runtime, "the binder or the elector to end"),
      scope_(runtime, "binder service") {}

Service::~Service() = default;

bool Service::is_leader() const {
  return election_ ? election_->elector.is_leader() : is_binding_;
}

std::string Service::leader() const {
  return election_ ? election_->elector.leader() : std::string();
}

rt::Task<Service::End> Service::run(rt::CancelToken stop) {
  scope_.spawn("informers", informers_.run(scope_.token()));
  if (election_) {
    is_electing_ = scope_.spawn("elector", elect());
  } else {
    lead();
  }
  End end = End::kStopped;
  while (!stop.is_cancelled()) {
    if (election_ && !is_electing_) {
      end = End::kDeposed;
      break;
    }
    co_await changed_.wait({.token = stop});
  }
  stop_binding_.cancel();
  const rt::Time deadline = rt::after(runtime_.now(), options_.drain_max);
  while (is_binding_ && runtime_.now() < deadline) {
    co_await changed_.wait({.deadline = deadline});
  }
  give_up_.cancel();
  while (is_binding_) {
    co_await changed_.wait({});
  }
  // Another one may lead at once only if nothing is under way.
  if (election_) {
    election_->elector.keep_until(binder_.settled_at());
  }
  stop_electing_.cancel();
  while (is_electing_) {
    co_await changed_.wait({});
  }
  scope_.cancel();
  co_await scope_.drain();
  co_return end;
}

void Service::lead() {
  is_binding_ = scope_.spawn("binder", bind());
  if (options_.on_leading) {
    options_.on_leading();
  }
}

// The fence is down: what it still wants to write is refused, and what it waits for is of no use.
void Service::step_down() {
  stop_binding_.cancel();
  give_up_.cancel();
}

rt::Task<void> Service::bind() {
  const rt::Wake wake = co_await informers_.wait_until_synced({.token = stop_binding_.token()});
  if (wake == rt::Wake::kNotified) {
    const bool is_sure = election_ && !election_->elector.has_taken_over();
    co_await binder_.run(is_sure ? Predecessor::kNone : Predecessor::kVanished,
                         stop_binding_.token(),
                         give_up_.token());
  }
  is_binding_ = false;
  changed_.notify_all();
}

rt::Task<void> Service::elect() {
  co_await election_->elector.run(stop_electing_.token());
  is_electing_ = false;
  changed_.notify_all();
}

}  // namespace berth::binder
