// What every actor needs to act: a client, bounded requests, and what to do about those that fail.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "actors/shelf.h"
#include "api/codec.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::actors {

// A request may take so long.
inline constexpr rt::Duration kRequestMax = std::chrono::seconds(30);

struct Desk {
  rt::Runtime& runtime;
  kube::Client& client;
  rt::CancelToken stop;

  rt::Until soon() const {
    return {.token = stop, .deadline = rt::after(runtime.now(), kRequestMax)};
  }
};

// The object as the server has it now; nullptr when there is none.
template <api::TopLevel Object>
rt::Task<Result<std::shared_ptr<const Object>>> find_live(Desk desk, kube::ObjectKey key) {
  auto got = co_await kube::get_object<Object>(&desk.client, std::move(key), desk.soon());
  if (got) {
    co_return std::make_shared<const Object>(*std::move(got));
  }
  if (got.error().code() == ErrorCode::kNotFound) {
    co_return std::shared_ptr<const Object>();
  }
  co_return std::move(got).error();
}

// Sends a patch of an object of the shelf and puts the answer there. After a refusal, or without an
// answer, what the server has is put there, so that the next look is at the truth: nothing is
// repeated that was applied.
template <api::TopLevel Object>
rt::Task<Result<std::shared_ptr<const Object>>> send_patch(Desk desk,
                                                           Shelf<Object>* shelf,
                                                           kube::PatchRequest request) {
  const kube::ObjectKey key = request.key;
  auto answer = co_await desk.client.patch(std::move(request), desk.soon());
  auto written = kube::internal::decode_answer<Object>(std::move(answer));
  if (written) {
    auto object = std::make_shared<const Object>(*std::move(written));
    shelf->put_answer(object);
    co_return object;
  }
  Error error = std::move(written).error();
  const bool is_in_doubt = error.code() == ErrorCode::kUnknownOutcome ||
                           error.code() == ErrorCode::kConflict ||
                           error.code() == ErrorCode::kInvalid;
  if (is_in_doubt && !desk.stop.is_cancelled()) {
    const auto live = co_await find_live<Object>(desk, key);
    if (live && *live) {
      shelf->put_answer(*live);
    }
  }
  co_return std::move(error);
}

}  // namespace berth::actors
