// One request and its answer, whichever version of HTTP carries them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "net/http.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {

// Destroying it gives up what has not come yet. One who waits at a time.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  virtual rt::Task<Result<ResponseHead>> head(rt::Until until) = 0;
  // The next piece of the body, as it comes; nothing at its end. After head().
  virtual rt::Task<Result<std::optional<std::string>>> next(rt::Until until) = 0;
  // After an error: whether the server may have acted on the request. If not, it may be sent again.
  virtual bool may_have_acted() const = 0;
};

}  // namespace berth::net
