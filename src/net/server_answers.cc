// The half of ServerConnection that is about requests and answers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/error.h"
#include "base/log.h"
#include "base/result.h"
#include "net/http.h"
#include "net/http2_session.h"
#include "net/http_server.h"
#include "net/server_call.h"
#include "net/server_connection.h"
#include "net/server_protocol.h"
#include "net/wake_error.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

constexpr int kTooLarge = 413;
constexpr int kFailed = 500;
constexpr int kUnavailable = 503;

bool says_more_than(const RequestHead& head, std::size_t max) {
  const auto text = find_header(head.headers, "content-length");
  std::uint64_t length = 0;
  if (!text) {
    return false;
  }
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), length);
  return error == std::errc::result_out_of_range || (error == std::errc() && length > max);
}

// Roughly what it takes: a few bytes on the wire may become many.
std::size_t size_of(const RequestHead& head) {
  std::size_t size = sizeof head + head.method.size() + head.path.size() + head.authority.size();
  for (const auto& [name, value] : head.headers) {
    size += sizeof(Header) + name.size() + value.size();
  }
  return size;
}

bool has_no_body(int status) {
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  return status == kNoContent || status == kNotModified;
}

}  // namespace

class ServerConnection::Writer final : public ResponseWriter {
 public:
  Writer(ServerConnection& connection, std::shared_ptr<ServerCall> call)
      : connection_(connection), call_(std::move(call)) {}

  void answer(ResponseHead head, std::string_view body) override {
    connection_.answer_whole(*call_, std::move(head), body);
  }

  void begin(ResponseHead head) override {
    // How long it is shows when it is over.
    std::erase_if(head.headers,
                  [](const Header& header) { return header.name == "content-length"; });
    connection_.begin_answer(*call_, head);
    connection_.wake_writer();
  }

  rt::Task<Result<void>> write(std::string piece, rt::Until until) override {
    BERTH_ASSERT(call_->has_answer && !call_->is_finished, "an answer begins with its head");
    while (true) {
      if (call_->gone.is_cancelled()) {
        co_return Error(ErrorCode::kCancelled, "nobody waits for the answer any more");
      }
      if (connection_.protocol_->unsent(call_->stream) < connection_.limits_.unsent_max) {
        break;
      }
      const rt::Wake wake = co_await call_->room.wait(until);
      if (wake != rt::Wake::kNotified) {
        co_return error_of(wake);
      }
    }
    if (!call_->is_head_method) {
      connection_.protocol_->send(call_->stream, piece);
      call_->queued += piece.size();
      connection_.wake_writer();
    }
    co_return Result<void>();
  }

  rt::CancelToken gone() override { return call_->gone.token(); }
  rt::CancelToken stopping() override { return connection_.shared_.stopping.token(); }

 private:
  ServerConnection& connection_;
  std::shared_ptr<ServerCall> call_;
};

// A handler that has been started and has not returned, or is not given up yet.
class ServerConnection::Running {
 public:
  explicit Running(std::size_t& count) : count_(&count) { ++*count_; }
  Running(Running&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Running& operator=(Running&&) = delete;
  ~Running() {
    if (count_ != nullptr) {
      --*count_;
    }
  }

 private:
  std::size_t* count_;
};

rt::Task<void> ServerConnection::answer(std::shared_ptr<ServerCall> call, Running /*running*/) {
  if (call->gone.is_cancelled()) {
    co_return;  // before it was its turn
  }
  ++shared_.counters.requests;
  Writer writer(*this, call);
  const std::string path = shared_.log != nullptr ? call->request.head.path : std::string();
  const auto handled = co_await shared_.handler.handle(std::move(call->request), &writer);
  if (call->gone.is_cancelled()) {
    co_return;
  }
  if (!handled) {
    ++shared_.counters.requests_failed;
    if (shared_.log != nullptr) {
      shared_.log->warn("request failed", {{"path", path}, {"error", handled.error().text()}});
    }
  }
  if (!call->has_answer) {
    answer_whole(*call, {.status = kFailed}, "internal error\n");
  }
  finish(*call, handled.has_value());
}

std::shared_ptr<ServerCall> ServerConnection::find(StreamId stream) const {
  const auto found = calls_.find(stream);
  return found == calls_.end() ? nullptr : found->second;
}

void ServerConnection::begin_answer(ServerCall& call, const ResponseHead& head) {
  BERTH_ASSERT(!call.has_answer, "a request is answered once");
  call.has_answer = true;
  if (!call.gone.is_cancelled()) {
    protocol_->respond(call.stream, head);
  }
}

void ServerConnection::answer_whole(ServerCall& call, ResponseHead head, std::string_view body) {
  std::erase_if(head.headers, [](const Header& header) { return header.name == "content-length"; });
  if (!has_no_body(head.status)) {
    head.headers.push_back({"content-length", std::to_string(body.size())});
  }
  begin_answer(call, head);
  if (!call.is_head_method && !has_no_body(head.status) && !call.gone.is_cancelled()) {
    protocol_->send(call.stream, body);
    call.queued += body.size();
  }
  finish(call, true);
}

// An answer of the server itself, in place of the handler's.
void ServerConnection::refuse(ServerCall& call, int status, std::string_view why) {
  ++shared_.counters.requests_refused;
  call.is_refused = true;
  call.request = {};
  shared_.unanswered -= std::exchange(call.unanswered, 0);
  answer_whole(call, {.status = status, .headers = {{"content-type", "text/plain"}}}, why);
}

bool ServerConnection::has_room(ServerCall& call, std::size_t bytes) {
  if (bytes > limits_.unanswered_max - std::min(shared_.unanswered, limits_.unanswered_max)) {
    refuse(call, kUnavailable, "too many requests are under way\n");
    return false;
  }
  call.unanswered += bytes;
  shared_.unanswered += bytes;
  return true;
}

void ServerConnection::finish(ServerCall& call, bool is_whole) {
  shared_.unanswered -= std::exchange(call.unanswered, 0);
  if (std::exchange(call.is_finished, true) || call.gone.is_cancelled()) {
    return;
  }
  if (is_whole) {
    protocol_->finish(call.stream);
  } else {
    protocol_->break_off(call.stream);
  }
  wake_writer();
}

void ServerConnection::forget(StreamId stream, bool is_wanted) {
  const auto call = find(stream);
  if (call == nullptr) {
    return;
  }
  calls_.erase(stream);
  shared_.unanswered -= std::exchange(call->unanswered, 0);
  if (!is_wanted) {
    call->gone.cancel();
  }
  call->room.notify_all();
  idle_since_ = runtime_.now();
  if (calls_.empty()) {
    watch_until(rt::after(idle_since_, limits_.idle_max));
  }
}

void ServerConnection::on_begin(StreamId stream) {
  const auto call = std::make_shared<ServerCall>(runtime_, stream, scope_.token());
  calls_[stream] = call;
  watch_until(deadline_of(*call));
}

void ServerConnection::on_request(StreamId stream, RequestHead head) {
  const auto call = find(stream);
  if (call == nullptr) {
    return;
  }
  call->stage = ServerCall::Stage::kBody;
  call->is_head_method = head.method == "HEAD";
  call->request.head = std::move(head);
  call->request.head.scheme = shared_.scheme;  // what is true, not what the peer says
  if (!has_room(*call, size_of(call->request.head))) {
    return;
  }
  if (says_more_than(call->request.head, limits_.body_max)) {
    refuse(*call, kTooLarge, fmt::format("the body is larger than {} bytes\n", limits_.body_max));
  }
}

void ServerConnection::on_data(StreamId stream, std::string_view bytes) {
  const auto call = find(stream);
  if (call == nullptr || call->is_refused) {
    return;
  }
  if (bytes.size() > limits_.body_max - call->request.body.size()) {
    refuse(*call, kTooLarge, fmt::format("the body is larger than {} bytes\n", limits_.body_max));
    return;
  }
  if (has_room(*call, bytes.size())) {
    call->request.body += bytes;
  }
}

void ServerConnection::on_end(StreamId stream) {
  const auto call = find(stream);
  if (call == nullptr) {
    return;
  }
  call->stage = ServerCall::Stage::kComplete;
  if (call->is_refused) {
    return;
  }
  // Handlers of streams that were reset may not have returned yet.
  if (handlers_ >= limits_.streams_max) {
    ++shared_.counters.requests_refused;
    protocol_->refuse(stream);
    return;
  }
  scope_.spawn("handler", answer(call, Running(handlers_)));
}

void ServerConnection::on_close(StreamId stream) {
  forget(stream, true);
}

void ServerConnection::on_reset(StreamId stream) {
  forget(stream, false);
}

}  // namespace berth::net
