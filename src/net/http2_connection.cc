#include "net/http2_connection.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
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
#include "net/http2_session.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

constexpr std::size_t kReadSize = 64 * 1024;
// So much is gathered into one write: many small requests share a TLS record.
constexpr std::size_t kWriteMax = 256 * 1024;

Error reset_error(Reset why) {
  return {ErrorCode::kUnavailable,
          why == Reset::kRefused ? "the server did not take the request"
                                 : fmt::format("the server gave up the request (HTTP/2 error {})",
                                               static_cast<std::uint32_t>(why))};
}

}  // namespace

class Http2Connection::StreamExchange final : public ArrivingExchange {
 public:
  StreamExchange(std::shared_ptr<Http2Connection> connection,
                 StreamId stream,
                 std::shared_ptr<ArrivingAnswer> answer)
      : ArrivingExchange(std::move(answer)), connection_(std::move(connection)), stream_(stream) {}

  ~StreamExchange() override {
    if (!answer().is_over()) {
      connection_->give_up(stream_);
    }
    connection_->consumed(stream_, answer().body.size());
  }

 private:
  void taken(std::size_t bytes) override { connection_->consumed(stream_, bytes); }

  std::shared_ptr<Http2Connection> connection_;
  StreamId stream_;
};

Http2Connection::Http2Connection(rt::Runtime& runtime,
                                 std::unique_ptr<ByteStream> stream,
                                 const Http2ConnectionOptions& options)
    : runtime_(runtime),
      options_(options),
      stream_(std::move(stream)),
      session_(Http2Session::End::kClient, options.limits, *this),
      has_output_(runtime, "something to send"),
      last_read_(runtime.now()),
      idle_frames_(runtime.now(), options.idle_frames_max),
      scope_(runtime, "http2") {
  has_output_.set();  // the preface
}

Http2Connection::~Http2Connection() = default;

std::shared_ptr<Http2Connection> Http2Connection::start(rt::Runtime& runtime,
                                                        std::unique_ptr<ByteStream> stream,
                                                        const Http2ConnectionOptions& options) {
  std::shared_ptr<Http2Connection> made(new Http2Connection(runtime, std::move(stream), options));
  made->scope_.spawn("http2 reader", made->read());
  made->scope_.spawn("http2 writer", made->write());
  made->scope_.spawn("http2 keep-alive", made->keep_alive());
  return made;
}

std::size_t Http2Connection::free_streams() const {
  return is_closing() ? 0 : session_.free_streams();
}

Result<std::unique_ptr<Exchange>> Http2Connection::send(const RequestHead& head, std::string body) {
  if (failure_) {
    return *failure_;
  }
  if (is_closing_) {
    return Error(ErrorCode::kUnavailable, "the connection is closing");
  }
  auto stream = session_.request(head, std::move(body));
  if (!stream) {
    return std::move(stream).error();
  }
  auto answer = std::make_shared<ArrivingAnswer>(runtime_);
  exchanges_[*stream] = answer;
  has_output_.set();
  // A client's streams are the odd ones.
  if (static_cast<std::uint64_t>(*stream) / 2 + 1 >= options_.requests_max) {
    close_when_idle();
  }
  return std::unique_ptr<Exchange>(
      std::make_unique<StreamExchange>(shared_from_this(), *stream, std::move(answer)));
}

void Http2Connection::close_when_idle() {
  if (!is_closing()) {
    is_closing_ = true;
    session_.go_away();
    has_output_.set();
    tell();
  }
}

rt::Task<void> Http2Connection::read() {
  std::vector<char> buffer(kReadSize);
  const rt::Until until{.token = scope_.token()};
  while (!failure_) {
    const auto count = co_await stream_->read(buffer, until);
    if (!count) {
      fail(count.error());
      co_return;
    }
    if (*count == 0) {
      fail(Error(ErrorCode::kUnavailable, "the server ended the connection"));
      co_return;
    }
    last_read_ = runtime_.now();
    const auto received = session_.receive({buffer.data(), *count});
    if (!received) {
      fail(received.error());
      co_return;
    }
    if (idle_frames_.is_exceeded(last_read_, session_.idle_frames())) {
      fail(Error(ErrorCode::kLimit, "the server sends frames without end that say nothing"));
      co_return;
    }
    has_output_.set();
    tell();
  }
}

rt::Task<void> Http2Connection::write() {
  const rt::Until until{.token = scope_.token()};
  while (!failure_) {
    const std::string bytes = session_.output(kWriteMax);
    if (bytes.empty()) {
      has_output_.reset();
      const rt::Wake wake = co_await has_output_.wait(until);
      if (wake != rt::Wake::kNotified) {
        co_return;
      }
      continue;
    }
    const auto written = co_await stream_->write(bytes, until);
    if (!written) {
      fail(written.error());
      co_return;
    }
    if (session_.is_over()) {
      fail(Error(ErrorCode::kUnavailable,
                 is_closing_ ? "the connection is closed" : "the server does not speak HTTP/2"));
    }
  }
}

rt::Task<void> Http2Connection::keep_alive() {
  while (!failure_) {
    const rt::Time quiet = last_read_;
    const rt::Time ask_at = quiet + options_.idle_max;
    co_await sleep_until(runtime_, ask_at, scope_.token());
    if (scope_.token().is_cancelled() || failure_) {
      co_return;
    }
    if (last_read_ != quiet) {
      continue;
    }
    session_.ping();
    has_output_.set();
    const rt::Time give_up_at = runtime_.now() + options_.pong_max;
    co_await sleep_until(runtime_, give_up_at, scope_.token());
    if (!failure_ && last_read_ == quiet) {
      fail(Error(ErrorCode::kUnavailable, "the server does not answer"));
    }
  }
}

void Http2Connection::fail(Error why) {
  if (failure_) {
    return;
  }
  failure_ = std::move(why);
  for (auto& [stream, answer] : exchanges_) {
    answer->fail(*failure_);
  }
  exchanges_.clear();
  stream_->close();
  scope_.cancel();
  tell();
}

void Http2Connection::give_up(StreamId stream) {
  if (exchanges_.erase(stream) > 0) {
    session_.reset(stream, Reset::kCancel);
    has_output_.set();
    tell();
  }
}

void Http2Connection::consumed(StreamId stream, std::size_t bytes) {
  if (bytes > 0 && !failure_) {
    session_.consume(stream, bytes);
    has_output_.set();
  }
}

void Http2Connection::tell() {
  if (told_) {
    told_();
  }
}

void Http2Connection::on_response(StreamId stream, ResponseHead head) {
  if (const auto found = exchanges_.find(stream); found != exchanges_.end()) {
    found->second->begin(std::move(head));
  }
}

void Http2Connection::on_data(StreamId stream, std::string_view bytes) {
  if (const auto found = exchanges_.find(stream); found != exchanges_.end()) {
    found->second->add(bytes);
  } else {
    session_.consume(stream, bytes.size());  // nobody wants it any more
  }
}

void Http2Connection::on_end(StreamId stream) {
  if (const auto found = exchanges_.find(stream); found != exchanges_.end()) {
    found->second->end();
    exchanges_.erase(found);
  }
}

void Http2Connection::on_reset(StreamId stream, Reset why) {
  if (const auto found = exchanges_.find(stream); found != exchanges_.end()) {
    found->second->may_have_acted = why != Reset::kRefused;
    found->second->fail(reset_error(why));
    exchanges_.erase(found);
  }
}

// nghttp2 resets the streams the server will not look at, with kRefused.
void Http2Connection::on_goaway(StreamId /*last*/, Reset /*why*/, std::string_view /*text*/) {
  is_closing_ = true;
}

}  // namespace berth::net
