// For tests: a Client whose answers are functions of the test. Every call takes its time, twice:
// before the server acts and after, so that it can be cut off on either side.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube::testing {

class FakeClient : public Client {
 public:
  explicit FakeClient(rt::Runtime& runtime) : runtime_(runtime) {}

  rt::Duration latency = std::chrono::milliseconds(1);  // of each way
  std::function<Result<Document>(const GetRequest&)> on_get;
  std::function<Result<ListPage>(const ListRequest&)> on_list;
  std::function<Result<std::unique_ptr<Watch>>(const WatchRequest&)> on_watch;
  std::function<Result<Document>(const CreateRequest&)> on_create;
  std::function<Result<Document>(const PatchRequest&)> on_patch;
  std::function<Result<void>(const RemoveRequest&)> on_remove;

  rt::Task<Result<Document>> get(GetRequest request, rt::Until until) override {
    return call<Document>(&on_get, std::move(request), until, false);
  }
  rt::Task<Result<ListPage>> list(ListRequest request, rt::Until until) override {
    return call<ListPage>(&on_list, std::move(request), until, false);
  }
  rt::Task<Result<std::unique_ptr<Watch>>> watch(WatchRequest request, rt::Until until) override {
    return call<std::unique_ptr<Watch>>(&on_watch, std::move(request), until, false);
  }
  rt::Task<Result<Document>> create(CreateRequest request, rt::Until until) override {
    return call<Document>(&on_create, std::move(request), until, true);
  }
  rt::Task<Result<Document>> patch(PatchRequest request, rt::Until until) override {
    return call<Document>(&on_patch, std::move(request), until, true);
  }
  rt::Task<Result<void>> remove(RemoveRequest request, rt::Until until) override {
    return call<void>(&on_remove, std::move(request), until, true);
  }

 private:
  // Nothing when the way was travelled to its end.
  rt::Task<std::optional<Error>> travel(rt::Until until) {
    const rt::Time arrival = runtime_.now() + latency;
    const bool is_late = until.deadline < arrival;
    const rt::Wake wake =
        co_await rt::sleep_until(runtime_, is_late ? until.deadline : arrival, until.token);
    if (wake == rt::Wake::kCancelled) {
      co_return Error(ErrorCode::kCancelled, "cancelled");
    }
    if (is_late) {
      co_return Error(ErrorCode::kTimeout, "too late");
    }
    co_return std::nullopt;
  }

  template <typename Value, typename Request>
  rt::Task<Result<Value>> call(std::function<Result<Value>(const Request&)>* handler,
                               Request request,
                               rt::Until until,
                               bool is_write) {
    auto lost = co_await travel(until);
    if (lost) {
      co_return *std::move(lost);
    }
    auto answer = (*handler)(request);
    lost = co_await travel(until);
    if (lost) {
      co_return is_write ? Error(ErrorCode::kUnknownOutcome, "answer lost") : *std::move(lost);
    }
    co_return answer;
  }

  rt::Runtime& runtime_;
};

}  // namespace berth::kube::testing
