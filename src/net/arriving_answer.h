// An answer between the connection, which fills it as it arrives, and its exchange, which empties
// it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/exchange.h"
#include "net/http.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {

// What has arrived of an answer and was not taken yet.
struct ArrivingAnswer {
  explicit ArrivingAnswer(rt::Runtime& runtime) : changed(runtime, "an answer") {}

  bool is_over() const { return is_ended || failure.has_value(); }

  void begin(ResponseHead with) {
    head = std::move(with);
    changed.notify_all();
  }
  void add(std::string_view bytes) {
    body += bytes;
    changed.notify_all();
  }
  void end() {
    if (head) {
      is_ended = true;
    } else {
      failure = Error(ErrorCode::kUnavailable, "the server sent no answer");
    }
    changed.notify_all();
  }
  void fail(Error why) {
    failure = std::move(why);
    changed.notify_all();
  }

  std::optional<ResponseHead> head;
  std::string body;
  bool is_ended = false;
  std::optional<Error> failure;
  bool may_have_acted = true;
  rt::WaitQueue changed;
};

// The reading half of an exchange. A connection adds what it wants to know of it.
class ArrivingExchange : public Exchange {
 public:
  explicit ArrivingExchange(std::shared_ptr<ArrivingAnswer> answer) : answer_(std::move(answer)) {}

  rt::Task<Result<ResponseHead>> head(rt::Until until) override;
  rt::Task<Result<std::optional<std::string>>> next(rt::Until until) override;
  bool may_have_acted() const override { return answer_->may_have_acted; }

 protected:
  const ArrivingAnswer& answer() const { return *answer_; }

 private:
  // So much of the body has been used, and more may come.
  virtual void taken(std::size_t bytes) = 0;

  std::shared_ptr<ArrivingAnswer> answer_;
};

}  // namespace berth::net
