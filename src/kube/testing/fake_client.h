// For tests: a Client whose answers are functions of the test. Every call takes its time, twice:
// before the server acts and after, so that it can be cut off on either side.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
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
    return call<Document>(&on_get, std::move(request), until, kGet);
  }
  rt::Task<Result<ListPage>> list(ListRequest request, rt::Until until) override {
    return call<ListPage>(&on_list, std::move(request), until, kList);
  }
  rt::Task<Result<std::unique_ptr<Watch>>> watch(WatchRequest request, rt::Until until) override {
    return call<std::unique_ptr<Watch>>(&on_watch, std::move(request), until, kWatch);
  }
  rt::Task<Result<Document>> create(CreateRequest request, rt::Until until) override {
    return call<Document>(&on_create, std::move(request), until, kCreate);
  }
  rt::Task<Result<Document>> patch(PatchRequest request, rt::Until until) override {
    return call<Document>(&on_patch, std::move(request), until, kPatch);
  }
  rt::Task<Result<void>> remove(RemoveRequest request, rt::Until until) override {
    return call<void>(&on_remove, std::move(request), until, kRemove);
  }

 private:
  // What a call waits for on each of its ways.
  struct Names {
    std::string_view request;
    std::string_view answer;
    bool is_write = false;
  };
  static constexpr Names kGet{"a get to arrive", "the answer to a get", false};
  static constexpr Names kList{"a list to arrive", "the answer to a list", false};
  static constexpr Names kWatch{"a watch to arrive", "the answer to a watch", false};
  static constexpr Names kCreate{"a create to arrive", "the answer to a create", true};
  static constexpr Names kPatch{"a patch to arrive", "the answer to a patch", true};
  static constexpr Names kRemove{"a remove to arrive", "the answer to a remove", true};

  // Nothing when the way was travelled to its end.
  rt::Task<std::optional<Error>> travel(std::string_view what, rt::Until until) {
    const rt::Time arrival = runtime_.now() + latency;
    const bool is_late = until.deadline < arrival;
    const rt::Until end{.token = until.token, .deadline = is_late ? until.deadline : arrival};
    const rt::Wake wake = co_await rt::Wait(runtime_, nullptr, what, end);
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
                               Names names) {
    auto lost = co_await travel(names.request, until);
    if (lost) {
      co_return *std::move(lost);
    }
    auto answer = (*handler)(request);
    lost = co_await travel(names.answer, until);
    if (lost) {
      co_return names.is_write ? Error(ErrorCode::kUnknownOutcome, "answer lost")
                               : *std::move(lost);
    }
    co_return answer;
  }

  rt::Runtime& runtime_;
};

}  // namespace berth::kube::testing
