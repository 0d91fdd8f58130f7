#include "net/server_connection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "net/byte_stream.h"
#include "net/connection.h"
#include "net/http2_session.h"
#include "net/http_server.h"
#include "net/server_call.h"
#include "net/server_protocol.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

constexpr std::size_t kReadSize = 16 * 1024;
constexpr std::size_t kWriteMax = 64 * 1024;
// A peer that takes so much is slow; one that takes less within stall_max does not read.
constexpr std::size_t kTakenMin = 16 * 1024;
// So much is read and thrown away of a peer that goes on sending after our last word.
constexpr std::size_t kDiscardMax = 1024 * 1024;

}  // namespace

ServerConnection::ServerConnection(ServerShared& shared,
                                   std::unique_ptr<ByteStream> stream,
                                   Protocol protocol,
                                   std::string first,
                                   rt::CancelToken token)
    : shared_(shared),
      number_(shared.next_number++),
      limits_(shared.limits),
      runtime_(shared.runtime),
      stream_(std::move(stream)),
      is_http2_(protocol == Protocol::kHttp2),
      first_(std::move(first)),
      protocol_(make_server_protocol(protocol,
                                     {.header_bytes_max = limits_.header_bytes_max,
                                      .streams_max = limits_.streams_max,
                                      .resets_max = limits_.resets_max},
                                     *this)),
      last_read_(runtime_.now()),
      idle_since_(runtime_.now()),
      idle_frames_(runtime_.now(), limits_.idle_frames_max),
      has_output_(runtime_, "something to send"),
      wants_input_(runtime_, "room for requests"),
      touched_(runtime_, "a deadline of the peer"),
      ended_(runtime_, "the end of a connection"),
      scope_(runtime_, "connection", token) {
  shared_.open.emplace(number_, this);
}

ServerConnection::~ServerConnection() {
  shared_.open.erase(number_);
  for (const auto& [stream, call] : calls_) {
    shared_.unanswered -= call->unanswered;
  }
}

rt::Task<void> ServerConnection::run() {
  scope_.spawn("reader", read());
  scope_.spawn("writer", write());
  scope_.spawn("watcher", watch());
  // No deadline: the watcher sees to it that it comes.
  co_await ended_.wait({});
  stream_->close();
  while (!calls_.empty()) {
    forget(calls_.begin()->first, false);
  }
  scope_.cancel();
  co_await scope_.drain();
}

void ServerConnection::stop() {
  is_stopping_ = true;
  protocol_->close_when_idle();
  wake_writer();
}

rt::Task<void> ServerConnection::read() {
  const rt::Until until{.token = scope_.token()};
  std::vector<char> buffer(kReadSize);
  std::size_t discarded = 0;
  take(std::exchange(first_, {}));
  while (true) {
    if (!is_ending_ && !protocol_->wants_input()) {
      const rt::Wake wake = co_await wants_input_.wait(until);
      if (wake != rt::Wake::kNotified) {
        break;
      }
      continue;
    }
    const auto count = co_await stream_->read(buffer, until);
    if (!count || *count == 0) {
      break;
    }
    discarded += is_ending_ ? *count : 0;
    if (discarded > kDiscardMax) {
      break;
    }
    take({buffer.data(), *count});
  }
  end();
}

void ServerConnection::take(std::string_view bytes) {
  last_read_ = runtime_.now();
  pinged_at_ = rt::kNever;
  if (is_ending_ || bytes.empty()) {
    return;
  }
  if (!protocol_->receive(bytes)) {
    ++shared_.counters.cut_malformed;
    is_ending_ = true;
  } else {
    note_idle_frames();
  }
  wake_writer();
}

// The reader ends, and with it the connection.
void ServerConnection::end() {
  ended_.set();
}

// What it was sent did not reach it.
void ServerConnection::cut_by(const Error& why) {
  if (why.code() == ErrorCode::kTimeout) {
    cut(shared_.counters.cut_stalled);
  }
  end();
}

// For one reason, the first.
void ServerConnection::cut(std::uint64_t& counter) {
  counter += ended_.is_set() ? 0 : 1;
  end();
}

void ServerConnection::wake_writer() {
  has_output_.set();
}

rt::Task<void> ServerConnection::write() {
  const rt::Until until{.token = scope_.token()};
  while (true) {
    const std::string bytes = protocol_->output(kWriteMax);
    note_taken();
    wants_input_.notify_all();
    if (!bytes.empty()) {
      rt::Until in_time = until;
      in_time.deadline = rt::after(runtime_.now(), limits_.stall_max);
      const auto written = co_await stream_->write(bytes, in_time);
      if (!written) {
        cut_by(written.error());
        co_return;
      }
      continue;
    }
    if (is_ending_ || protocol_->is_over()) {
      break;
    }
    has_output_.reset();
    const rt::Wake wake = co_await has_output_.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return;
    }
  }
  co_await leave();
}

// The peer is left time to read the last words: closing at once could take them back.
rt::Task<void> ServerConnection::leave() {
  is_ending_ = true;
  const rt::Until until{.token = scope_.token(),
                        .deadline = rt::after(runtime_.now(), limits_.linger_max)};
  static_cast<void>(co_await stream_->end(until));
  co_await sleep_until(runtime_, until.deadline, until.token);
  end();
}

// After output(): who waits for room goes on, and who reads too little is remembered.
void ServerConnection::note_taken() {
  const rt::Time now = runtime_.now();
  std::vector<StreamId> to_stop;
  for (const auto& [stream, call] : calls_) {
    const std::size_t unsent = protocol_->unsent(stream);
    const std::size_t taken = call->queued - std::min(call->queued, unsent);
    if (unsent == 0) {
      call->slow_since = rt::kNever;
    } else if (call->slow_since == rt::kNever || taken >= call->taken_before + kTakenMin) {
      call->slow_since = now;
      call->taken_before = taken;
      watch_until(deadline_of(*call));
    }
    if (unsent < limits_.unsent_max) {
      call->room.notify_all();
    }
    if (call->is_refused && unsent == 0 && call->stage != ServerCall::Stage::kComplete) {
      to_stop.push_back(stream);
    }
  }
  for (const StreamId stream : to_stop) {
    protocol_->stop_request(stream);
  }
}

void ServerConnection::note_idle_frames() {
  if (idle_frames_.is_exceeded(runtime_.now(), protocol_->idle_frames())) {
    ++shared_.counters.cut_flooding;
    protocol_->terminate();
    is_ending_ = true;
  }
}

rt::Time ServerConnection::deadline_of(const ServerCall& call) const {
  const rt::Time stalls = rt::after(call.slow_since, limits_.stall_max);
  if (call.has_answer || call.stage == ServerCall::Stage::kComplete) {
    return stalls;
  }
  return rt::after(call.began,
                   call.stage == ServerCall::Stage::kHead ? limits_.head_max : limits_.request_max);
}

rt::Time ServerConnection::next_deadline() const {
  if (calls_.empty()) {
    return rt::after(idle_since_, limits_.idle_max);
  }
  rt::Time next = rt::kNever;
  if (is_http2_) {
    next = pinged_at_ == rt::kNever ? rt::after(last_read_, limits_.silence_max)
                                    : rt::after(pinged_at_, limits_.pong_max);
  }
  for (const auto& [stream, call] : calls_) {
    next = std::min(next, deadline_of(*call));
  }
  return next;
}

void ServerConnection::watch_until(rt::Time deadline) {
  if (deadline < watched_until_) {
    touched_.notify_all();
  }
}

rt::Task<void> ServerConnection::watch() {
  while (!is_ending_) {
    watched_until_ = next_deadline();
    const rt::Wake wake =
        co_await touched_.wait({.token = scope_.token(), .deadline = watched_until_});
    if (wake == rt::Wake::kCancelled) {
      co_return;
    }
    if (wake == rt::Wake::kDeadline && !is_ending_) {
      enforce();
    }
  }
}

// Some deadline has passed, or would have, had nothing happened since.
void ServerConnection::enforce() {
  const rt::Time now = runtime_.now();
  std::vector<std::shared_ptr<ServerCall>> late;
  for (const auto& [stream, call] : calls_) {
    if (deadline_of(*call) <= now) {
      late.push_back(call);
    }
  }
  for (const auto& call : late) {
    enforce(*call);
  }
  if (calls_.empty()) {
    if (rt::after(idle_since_, limits_.idle_max) <= now) {
      protocol_->close_when_idle();
      is_ending_ = true;
    }
  } else if (is_http2_ && pinged_at_ != rt::kNever) {
    if (rt::after(pinged_at_, limits_.pong_max) <= now) {
      cut(shared_.counters.cut_silent);
    }
  } else if (is_http2_ && rt::after(last_read_, limits_.silence_max) <= now) {
    protocol_->ping();
    pinged_at_ = now;
  }
  wake_writer();
}

void ServerConnection::enforce(ServerCall& call) {
  if (call.slow_since != rt::kNever) {
    call.slow_since = rt::kNever;
    if (is_http2_) {
      ++shared_.counters.cut_stalled;
      protocol_->break_off(call.stream);
    } else {
      cut(shared_.counters.cut_stalled);  // whatever there is to say, it does not read it
    }
    return;
  }
  ++shared_.counters.cut_slow;
  const bool has_head = call.stage != ServerCall::Stage::kHead;
  // Answered in a way, and not waited for any longer.
  call.has_answer = true;
  call.is_refused = true;
  protocol_->time_out(call.stream, has_head);
  if (!has_head) {
    is_ending_ = true;
  }
}

}  // namespace berth::net
