#include "net/arriving_answer.h"

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "net/http.h"
#include "net/wake_error.h"
#include "rt/reactor.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {

rt::Task<Result<ResponseHead>> ArrivingExchange::head(rt::Until until) {
  while (!answer_->head) {
    if (answer_->failure) {
      co_return *answer_->failure;
    }
    const rt::Wake wake = co_await answer_->changed.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return error_of(wake);
    }
  }
  co_return *answer_->head;
}

rt::Task<Result<std::optional<std::string>>> ArrivingExchange::next(rt::Until until) {
  while (answer_->body.empty()) {
    if (answer_->is_ended) {
      co_return std::optional<std::string>();
    }
    if (answer_->failure) {
      co_return *answer_->failure;
    }
    const rt::Wake wake = co_await answer_->changed.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return error_of(wake);
    }
  }
  std::string piece = std::exchange(answer_->body, {});
  taken(piece.size());
  co_return std::optional(std::move(piece));
}

}  // namespace berth::net
