#include "kube/fence.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// Counted while it lives: also a write that is given up ends here, and then its outcome is unknown.
class Fence::Write {
 public:
  explicit Write(Fence& fence) : fence_(fence) { ++fence_.writes_; }
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;
  ~Write() {
    if (!is_known_) {
      fence_.last_unknown_ = fence_.runtime_.now();
    }
    if (--fence_.writes_ == 0) {
      fence_.idle_.notify_all();
    }
  }

  template <typename Value>
  void answered(const Result<Value>& answer) {
    is_known_ = answer.has_value() || answer.error().code() != ErrorCode::kUnknownOutcome;
  }

 private:
  Fence& fence_;
  bool is_known_ = false;
};

namespace {

Error not_the_leader() {
  return {ErrorCode::kCancelled, "not the leader any more"};
}

}  // namespace

rt::Task<void> Fence::wait_until_idle(rt::Until until) {
  while (writes_ != 0) {
    const rt::Wake wake = co_await idle_.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return;
    }
  }
}

rt::Until FencedClient::before_fence(rt::Until until) const {
  until.deadline = std::min(until.deadline, fence_.end());
  return until;
}

rt::Task<Result<Document>> FencedClient::get(GetRequest request, rt::Until until) {
  return client_.get(std::move(request), until);
}

rt::Task<Result<ListPage>> FencedClient::list(ListRequest request, rt::Until until) {
  return client_.list(std::move(request), until);
}

rt::Task<Result<std::unique_ptr<Watch>>> FencedClient::watch(WatchRequest request,
                                                             rt::Until until) {
  return client_.watch(std::move(request), until);
}

rt::Task<Result<Document>> FencedClient::create(CreateRequest request, rt::Until until) {
  if (!fence_.may_send(runtime_.now())) {
    co_return not_the_leader();
  }
  Fence::Write write(fence_);
  auto answer = co_await client_.create(std::move(request), before_fence(until));
  write.answered(answer);
  co_return answer;
}

rt::Task<Result<Document>> FencedClient::patch(PatchRequest request, rt::Until until) {
  if (!fence_.may_send(runtime_.now())) {
    co_return not_the_leader();
  }
  Fence::Write write(fence_);
  auto answer = co_await client_.patch(std::move(request), before_fence(until));
  write.answered(answer);
  co_return answer;
}

rt::Task<Result<void>> FencedClient::remove(RemoveRequest request, rt::Until until) {
  if (!fence_.may_send(runtime_.now())) {
    co_return not_the_leader();
  }
  Fence::Write write(fence_);
  auto answer = co_await client_.remove(std::move(request), before_fence(until));
  write.answered(answer);
  co_return answer;
}

}  // namespace berth::kube
