// For tests: mistakes put into the processes of a run, to show that the judge finds them. Nothing
// of the product knows of them: each is made where the toolkit lets its user choose a part.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash_map.h"
#include "base/result.h"
#include "kube/cache.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/typed.h"
#include "kube/work_queue_state.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "sim/informers/subject.h"

namespace berth::sim::informers {

enum class Mistake : std::uint8_t {
  kNone,
  kResumesFromWrongVersion,  // a watch that is opened again skips a version
  kSwapsInPieces,            // handlers run while a relist is half applied
  kDeletesToChange,          // what a relist finds changed is told as deleted and added
  kForgetsWhileHandled,      // a work queue loses a key that is added while it is handled
  kHasNoFence,               // an elector whose fence, once up, stays up
  kNeverFinishes,            // workers wait for ever
};

// Opens a watch that goes on from another one a version too far.
class SkippingClient final : public kube::Client {
 public:
  // `client` outlives it.
  explicit SkippingClient(kube::Client& client) : client_(client) {}

  rt::Task<Result<kube::Document>> get(kube::GetRequest request, rt::Until until) override {
    return client_.get(std::move(request), until);
  }
  rt::Task<Result<kube::ListPage>> list(kube::ListRequest request, rt::Until until) override {
    watched_.erase(request.of.kind->plural);
    return client_.list(std::move(request), until);
  }
  rt::Task<Result<std::unique_ptr<kube::Watch>>> watch(kube::WatchRequest request,
                                                       rt::Until until) override {
    const bool is_first = watched_.insert(request.of.kind->plural).second;
    if (!is_first && !request.send_initial_events) {
      request.resource_version = std::to_string(number_of(request.resource_version) + 1);
    }
    return client_.watch(std::move(request), until);
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
  kube::Client& client_;
  std::set<std::string_view> watched_;  // kinds, since they were listed
};

// Changes the store object by object, and tells of each, truly, before the next.
template <typename Object>
class PiecewiseInformer final : public kube::Informer<Object> {
 public:
  using kube::Informer<Object>::Informer;

 protected:
  void swap() override {
    const auto objects = this->take_collected();
    kube::Cache<Object>& cache = this->cache_to_change();
    std::set<std::string> uids;
    for (const auto& object : objects) {
      uids.insert(object->metadata.uid);
    }
    for (const auto& old : cache.all()) {
      if (!uids.contains(old->metadata.uid)) {
        this->tell(cache.erase(kube::key_of(*old)), true);
      }
    }
    for (const auto& object : objects) {
      this->tell(cache.put(object), true);
    }
  }
};

// Changes the store as a whole, and tells of a change as if the object had gone and come back.
template <typename Object>
class DeletingInformer final : public kube::Informer<Object> {
 public:
  using kube::Informer<Object>::Informer;

 protected:
  void swap() override {
    for (const kube::Change<Object>& change :
         this->cache_to_change().replace(this->take_collected())) {
      if (change.type == kube::ChangeType::kUpdated) {
        this->tell({{kube::ChangeType::kDeleted, change.before, nullptr},
                    {kube::ChangeType::kAdded, nullptr, change.after}},
                   true);
      } else {
        this->tell({change}, true);
      }
    }
  }
};

// The state of a work queue, which can be made to forget a key that is added while it is handled.
class QueueState : public kube::WorkQueueState<Subject> {
 public:
  struct Options {
    bool is_forgetful = false;
  };

  explicit QueueState(Options options) : WorkQueueState({}), options_(options) {}

  Output step(const Input& input, rt::Time now) {
    if (options_.is_forgetful && input.type == InputType::kAdd && handled_.contains(input.key)) {
      return {};
    }
    Output output = WorkQueueState::step(input, now);
    if (output.key) {
      handled_.insert(*output.key);
    }
    if (input.type == InputType::kDone || input.type == InputType::kRetry ||
        input.type == InputType::kGiveBack) {
      handled_.erase(input.key);
    }
    return output;
  }

 private:
  Options options_;
  HashSet<Subject> handled_;
};

}  // namespace berth::sim::informers
