// A request of a server's connection, and its answer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/http2_session.h"
#include "net/http_server.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {

struct ServerCall {
  enum class Stage : std::uint8_t { kHead, kBody, kComplete };  // of the request

  ServerCall(rt::Runtime& runtime, StreamId number, rt::CancelToken connection)
      : stream(number), began(runtime.now()), gone(connection), room(runtime, "a peer to read") {}

  StreamId stream;
  Stage stage = Stage::kHead;
  rt::Time began;
  bool is_head_method = false;
  ServerRequest request;
  std::size_t unanswered = 0;  // its share of what is counted in ServerShared
  bool has_answer = false;
  bool is_finished = false;
  bool is_refused = false;

  std::size_t queued = 0;            // bytes of the answer that the protocol was given
  std::size_t taken_before = 0;      // and that the peer had taken at `slow_since`
  rt::Time slow_since = rt::kNever;  // kNever: there is nothing to take

  rt::CancelSource gone;
  rt::WaitQueue room;
};

}  // namespace berth::net
