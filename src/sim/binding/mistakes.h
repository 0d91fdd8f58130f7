// For tests: mistakes put between a binder and its client, or into its options, to show that the
// judge finds them. Nothing of the product knows of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/node.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::sim::binding {

enum class Mistake : std::uint8_t {
  kNone,
  kBelievesInBindings,      // a binding whose answer was lost is taken for applied
  kTrustsThePredecessor,    // a failure is said while a binding of one that vanished may still land
  kTakesConflictsAsFinal,   // a status that met a newer version is not written again
  kBindsWhoeverHasTheName,  // the binding does not say which instance of the pod is meant
  kWritesStatusUnguarded,   // whatever became of the order meanwhile
  kTrustsTheCache,          // a node that the cache does not know is not asked for
  kNeverBinds,              // every binding is taken for forbidden
};

class CarelessClient final : public kube::Client {
 public:
  // `client` outlives it.
  CarelessClient(kube::Client& client, Mistake mistake) : client_(client), mistake_(mistake) {}

  rt::Task<Result<kube::Document>> get(kube::GetRequest request, rt::Until until) override {
    if (mistake_ == Mistake::kTrustsTheCache && *request.kind == api::Node::kKind) {
      co_return Error(ErrorCode::kNotFound, "not in the cache");
    }
    auto answer = co_await client_.get(std::move(request), until);
    co_return std::move(answer);
  }
  rt::Task<Result<kube::ListPage>> list(kube::ListRequest request, rt::Until until) override {
    return client_.list(std::move(request), until);
  }
  rt::Task<Result<std::unique_ptr<kube::Watch>>> watch(kube::WatchRequest request,
                                                       rt::Until until) override {
    return client_.watch(std::move(request), until);
  }
  rt::Task<Result<kube::Document>> create(kube::CreateRequest request, rt::Until until) override {
    const bool is_binding = request.subresource == "binding";
    if (is_binding && mistake_ == Mistake::kBindsWhoeverHasTheName) {
      drop(request.body, R"("uid":")", R"(")");
    }
    if (is_binding && mistake_ == Mistake::kNeverBinds) {
      co_return Error(ErrorCode::kInvalid, "never");
    }
    auto made = co_await client_.create(std::move(request), until);
    if (is_binding && mistake_ == Mistake::kBelievesInBindings && !made &&
        made.error().code() == ErrorCode::kUnknownOutcome) {
      co_return kube::Document{};
    }
    co_return std::move(made);
  }
  rt::Task<Result<kube::Document>> patch(kube::PatchRequest request, rt::Until until) override {
    const bool is_status = request.subresource == "status";
    if (is_status && mistake_ == Mistake::kWritesStatusUnguarded) {
      drop(request.body, R"("metadata":{)", "}");
    }
    auto patched = co_await client_.patch(std::move(request), until);
    if (is_status && mistake_ == Mistake::kTakesConflictsAsFinal && !patched &&
        patched.error().code() == ErrorCode::kConflict) {
      co_return Error(ErrorCode::kNotFound, "changed");
    }
    co_return std::move(patched);
  }
  rt::Task<Result<void>> remove(kube::RemoveRequest request, rt::Until until) override {
    return client_.remove(std::move(request), until);
  }

 private:
  // Takes the member that begins so out of an object, and the comma behind it.
  static void drop(std::string& body, std::string_view begin, std::string_view end) {
    const std::size_t from = body.find(begin);
    if (from == std::string::npos) {
      return;
    }
    std::size_t to = body.find(end, from + begin.size()) + end.size();
    to += body[to] == ',' ? 1 : 0;
    body.erase(from, to - from);
  }

  kube::Client& client_;
  Mistake mistake_;
};

}  // namespace berth::sim::binding
