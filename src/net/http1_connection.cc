#include "net/http1_connection.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/arriving_answer.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/http1_session.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

constexpr std::size_t kReadSize = 64 * 1024;
constexpr std::size_t kWriteMax = 256 * 1024;

}  // namespace

class Http1Connection::OnlyExchange final : public ArrivingExchange {
 public:
  OnlyExchange(std::shared_ptr<Http1Connection> connection, std::shared_ptr<ArrivingAnswer> answer)
      : ArrivingExchange(std::move(answer)), connection_(std::move(connection)) {}
  ~OnlyExchange() override { connection_->give_up(&answer()); }

 private:
  void taken(std::size_t /*bytes*/) override { connection_->room_.notify_all(); }

  std::shared_ptr<Http1Connection> connection_;
};

Http1Connection::Http1Connection(rt::Runtime& runtime,
                                 std::unique_ptr<ByteStream> stream,
                                 const Http1ConnectionOptions& options)
    : runtime_(runtime),
      options_(options),
      stream_(std::move(stream)),
      session_(Http1Session::End::kClient, options.limits, *this),
      has_output_(runtime, "something to send"),
      room_(runtime, "room for an answer"),
      idle_since_(runtime.now()),
      scope_(runtime, "http1") {}

Http1Connection::~Http1Connection() = default;

std::shared_ptr<Http1Connection> Http1Connection::start(rt::Runtime& runtime,
                                                        std::unique_ptr<ByteStream> stream,
                                                        const Http1ConnectionOptions& options) {
  std::shared_ptr<Http1Connection> made(new Http1Connection(runtime, std::move(stream), options));
  made->scope_.spawn("http1 reader", made->read());
  made->scope_.spawn("http1 writer", made->write());
  made->scope_.spawn("http1 idle", made->close_idle());
  return made;
}

std::size_t Http1Connection::free_streams() const {
  return !is_closing() && session_.takes_request() ? 1 : 0;
}

bool Http1Connection::is_closing() const {
  return is_closing_ || failure_.has_value();
}

Result<std::unique_ptr<Exchange>> Http1Connection::send(const RequestHead& head, std::string body) {
  if (failure_) {
    return *failure_;
  }
  if (is_closing_) {
    return Error(ErrorCode::kUnavailable, "the connection is closing");
  }
  if (auto sent = session_.request(head, body); !sent) {
    return std::move(sent).error();
  }
  answer_ = std::make_shared<ArrivingAnswer>(runtime_);
  answer_->may_have_acted = false;  // until something has been written
  has_output_.set();
  return std::unique_ptr<Exchange>(std::make_unique<OnlyExchange>(shared_from_this(), answer_));
}

void Http1Connection::close_when_idle() {
  is_closing_ = true;
  session_.close_when_idle();
  end_if_over();
}

rt::Task<void> Http1Connection::read() {
  std::vector<char> buffer(kReadSize);
  const rt::Until until{.token = scope_.token()};
  while (!failure_) {
    if (answer_ != nullptr && answer_->body.size() >= options_.unread_max) {
      // No deadline: whoever has the exchange reads on, or drops it.
      const rt::Wake wake = co_await room_.wait(until);
      if (wake != rt::Wake::kNotified) {
        co_return;
      }
      continue;
    }
    const auto count = co_await stream_->read(buffer, until);
    if (!count) {
      fail(count.error());
      co_return;
    }
    const auto received =
        *count == 0 ? session_.receive_end() : session_.receive({buffer.data(), *count});
    if (!received) {
      fail(received.error());
    } else if (*count == 0) {
      // Its answer is complete, or there was nothing to answer.
      fail(Error(ErrorCode::kUnavailable, "the server ended the connection"));
    } else if (is_writing_ && is_answered_early()) {
      fail_early();
    } else {
      end_if_over();
    }
  }
}

rt::Task<void> Http1Connection::write() {
  const rt::Until until{.token = scope_.token()};
  while (!failure_) {
    // Told before it is written: a write that ends early may have reached the server.
    if (session_.wants_output() && answer_ != nullptr) {
      answer_->may_have_acted = true;
    }
    const std::string bytes = session_.output(kWriteMax);
    if (is_answered_early()) {
      fail_early();
      co_return;
    }
    end_if_over();
    if (bytes.empty()) {
      has_output_.reset();
      const rt::Wake wake = co_await has_output_.wait(until);
      if (wake != rt::Wake::kNotified) {
        co_return;
      }
      continue;
    }
    is_writing_ = true;
    const auto written = co_await stream_->write(bytes, until);
    is_writing_ = false;
    if (!written) {
      fail(written.error());
      co_return;
    }
  }
}

rt::Task<void> Http1Connection::close_idle() {
  while (!failure_) {
    const rt::Time since = idle_since_;
    const rt::Time close_at =
        rt::after(exchanges() > 0 ? runtime_.now() : since, options_.idle_max);
    co_await sleep_until(runtime_, close_at, scope_.token());
    if (scope_.token().is_cancelled() || failure_) {
      co_return;
    }
    if (session_.takes_request() && idle_since_ == since) {
      fail(Error(ErrorCode::kUnavailable, "the connection was idle"));
    }
  }
}

void Http1Connection::fail(Error why) {
  if (failure_) {
    return;
  }
  failure_ = std::move(why);
  if (const auto answer = std::exchange(answer_, nullptr)) {
    answer->fail(*failure_);
  }
  stream_->close();
  scope_.cancel();
  if (told_) {
    told_();
  }
}

// The answer is there, and there is more of the request than what is on its way.
bool Http1Connection::is_answered_early() const {
  return answer_ == nullptr && session_.wants_output();
}

// What is left of the request would stand in front of the next one.
void Http1Connection::fail_early() {
  fail(Error(ErrorCode::kUnavailable, "the server answered before it had read the request"));
}

void Http1Connection::give_up(const ArrivingAnswer* answer) {
  if (answer == answer_.get()) {
    fail(Error(ErrorCode::kCancelled, "the request was given up"));
  }
}

void Http1Connection::end_if_over() {
  if (session_.is_over() && answer_ == nullptr) {
    fail(Error(ErrorCode::kUnavailable, "the connection is closed"));
  }
}

void Http1Connection::on_response(ResponseHead head) {
  answer_->begin(std::move(head));
}

void Http1Connection::on_data(std::string_view bytes) {
  answer_->add(bytes);
}

void Http1Connection::on_end() {
  answer_->end();
  answer_ = nullptr;
}

void Http1Connection::on_close() {
  idle_since_ = runtime_.now();
  if (told_) {
    told_();
  }
}

}  // namespace berth::net
