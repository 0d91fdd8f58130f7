// Takes part in the election of a leader.
//
//   Elector elector(runtime, client, {.lease = {"kube-system", "berth"}, .identity = pod_name},
//                   {.on_elected = ..., .on_deposed = ...});
//   FencedClient fenced(runtime, client, elector.fence());   // for everything only a leader does
//   scope.spawn("elector", elector.run(scope.token()));
//
// When run() ends, in whatever way, the fence is down for good; to stand again, make another
// Elector. It outlives what runs it, waits for it, or writes through its fence.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "kube/client.h"
#include "kube/elector_state.h"
#include "kube/fence.h"
#include "kube/problem.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// Called between two awaits; may be empty.
struct ElectorHandlers {
  // The fence is up.
  std::function<void()> on_elected = {};
  // The fence is down: whoever acts as the leader is to be cancelled. Only after on_elected.
  std::function<void()> on_deposed = {};
  // A read or write of the lease failed, for another reason than that somebody else was faster.
  // Told once, and again when the reason is another one or the request was answered in between.
  std::function<void(const Problem& problem)> on_problem = {};
};

class Elector {
 public:
  // All of them outlive it; `client` is not a fenced one.
  Elector(rt::Runtime& runtime,
          Client& client,
          ElectorOptions options,
          ElectorHandlers handlers = {});

  // Stands for election, leads, and ends when the lease is lost or the token cancelled. In the
  // latter case, if it leads, waits for the fenced writes in flight and gives the lease back; that
  // takes until the renew deadline at the longest. When its last write of the lease was perhaps
  // applied it looks first, so as not to leave one behind. A lease is not given back, and runs out,
  // when a fenced write may still land: one that is not answered by then, or whose outcome has been
  // unknown for less than the lease's duration.
  rt::Task<void> run(rt::CancelToken token);

  bool is_leader() const { return fence_.may_send(runtime_.now()); }
  // Wake::kNotified once this process leads; Wake::kCancelled also when it never will, because
  // run() has ended.
  rt::Task<rt::Wake> wait_until_leader(rt::Until until);
  // Who leads as far as we have seen; empty: nobody.
  const std::string& leader() const { return state_.holder(); }

  // While leading: whether who led before has not given the lease back, so that what it sent may
  // still be applied.
  bool has_taken_over() const { return state_.has_taken_over(); }
  // The lease is not given back before then, but runs out: whoever leads next is to know that what
  // was sent may still be applied.
  void keep_until(rt::Time time) { keep_until_ = time; }

  Fence& fence() { return fence_; }

 private:
  struct Run;

  rt::Task<void> stand(std::unique_ptr<Run> run, rt::CancelToken token);
  ElectorState::Action step(const ElectorState::Input& input);
  rt::Task<ElectorState::Input> act(ElectorState::Action action, rt::CancelToken token);
  rt::Task<void> release(ElectorState::Write write);
  ElectorState::Failed failed(NewsOfFailure& news, const Error& error);
  // Lets the fence, and those who want to know, follow the state.
  void follow_state();

  rt::Runtime& runtime_;
  Client& client_;
  ElectorOptions options_;
  ElectorHandlers handlers_;
  ElectorState state_;
  Fence fence_;
  rt::Time keep_until_ = rt::Time::min();
  NewsOfFailure reads_;
  NewsOfFailure writes_;     // told apart: who may not write can mostly read
  bool is_elected_ = false;  // as far as handlers know
  bool is_over_ = false;
  rt::WaitQueue elected_;
};

}  // namespace berth::kube
