// A client whose watches lose an event now and then, and do not say so: what a broken informer
// looks like.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "kube/client.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::tests {

class LossyClient final : public kube::Client {
 public:
  explicit LossyClient(kube::Client& client) : client_(client) {}

  rt::Task<Result<kube::Document>> get(kube::GetRequest request, rt::Until until) override {
    return client_.get(std::move(request), until);
  }
  rt::Task<Result<kube::ListPage>> list(kube::ListRequest request, rt::Until until) override {
    return client_.list(std::move(request), until);
  }
  rt::Task<Result<std::unique_ptr<kube::Watch>>> watch(kube::WatchRequest request,
                                                       rt::Until until) override {
    auto watch = co_await client_.watch(std::move(request), until);
    if (!watch) {
      co_return std::move(watch).error();
    }
    co_return std::unique_ptr<kube::Watch>(std::make_unique<LossyWatch>(*std::move(watch)));
  }
  rt::Task<Result<kube::Document>> create(kube::CreateRequest request, rt::Until until) override {
    return client_.create(std::move(request), until);
  }
  rt::Task<Result<kube::Document>> patch(kube::PatchRequest request, rt::Until until) override {
    return client_.patch(std::move(request), until);
  }
  rt::Task<Result<void>> remove(kube::RemoveRequest request, rt::Until until) override {
    return client_.remove(std::move(request), until);
  }

 private:
  static constexpr std::uint64_t kOneIn = 20;

  class LossyWatch final : public kube::Watch {
   public:
    explicit LossyWatch(std::unique_ptr<kube::Watch> watch) : watch_(std::move(watch)) {}

    rt::Task<Result<std::optional<kube::WatchEvent>>> next(rt::Until until) override {
      auto event = co_await watch_->next(until);
      if (event && *event && (*event)->type != kube::WatchEventType::kBookmark &&
          ++events_ % kOneIn == 0) {
        event = co_await watch_->next(until);
      }
      co_return event;
    }

   private:
    std::unique_ptr<kube::Watch> watch_;
    std::uint64_t events_ = 0;
  };

  kube::Client& client_;
};

}  // namespace berth::tests
