// A client's HTTP/1.1 connection: one exchange at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/arriving_answer.h"
#include "net/byte_stream.h"
#include "net/connection.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/http1_session.h"
#include "rt/event.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {

struct Http1ConnectionOptions {
  Http1Limits limits;
  // Bytes of a body that nobody has read; beyond them nothing more is taken from the peer.
  std::size_t unread_max = 1UL << 20U;
  // Without a request for so long it is closed: servers close what is idle, and a request sent at
  // that moment would be lost.
  rt::Duration idle_max = std::chrono::seconds(30);
};

// An exchange that is given up before its answer is complete ends the connection: HTTP/1.1 has no
// other way to say so.
class Http1Connection final : public Connection,
                              public std::enable_shared_from_this<Http1Connection>,
                              private Http1Session::Observer {
 public:
  static std::shared_ptr<Http1Connection> start(rt::Runtime& runtime,
                                                std::unique_ptr<ByteStream> stream,
                                                const Http1ConnectionOptions& options);
  ~Http1Connection() override;

  std::size_t free_streams() const override;
  bool is_closing() const override;
  std::size_t exchanges() const override { return answer_ == nullptr ? 0 : 1; }
  void on_change(std::function<void()> told) override { told_ = std::move(told); }
  Result<std::unique_ptr<Exchange>> send(const RequestHead& head, std::string body) override;
  void close_when_idle() override;

 private:
  class OnlyExchange;

  Http1Connection(rt::Runtime& runtime,
                  std::unique_ptr<ByteStream> stream,
                  const Http1ConnectionOptions& options);

  rt::Task<void> read();
  rt::Task<void> write();
  rt::Task<void> close_idle();
  void fail(Error why);
  bool is_answered_early() const;
  void fail_early();
  void give_up(const ArrivingAnswer* answer);
  void end_if_over();

  void on_response(ResponseHead head) override;
  void on_data(std::string_view bytes) override;
  void on_end() override;
  void on_close() override;

  rt::Runtime& runtime_;
  Http1ConnectionOptions options_;
  std::unique_ptr<ByteStream> stream_;
  Http1Session session_;
  // Of the exchange under way, until its answer is complete.
  std::shared_ptr<ArrivingAnswer> answer_;
  rt::Event has_output_;
  rt::WaitQueue room_;  // in the answer
  rt::Time idle_since_{};
  bool is_writing_ = false;
  bool is_closing_ = false;
  std::optional<Error> failure_;
  std::function<void()> told_;
  rt::Scope scope_;
};

}  // namespace berth::net
