// A client's HTTP/2 connection: many exchanges beside each other on one stream of bytes.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
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
#include "net/frame_rate.h"
#include "net/http.h"
#include "net/http2_session.h"
#include "rt/event.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::net {

struct Http2ConnectionOptions {
  Http2Limits limits;
  // A peer that has been silent for so long is asked whether it is there, and given up when it does
  // not answer in time.
  rt::Duration idle_max = std::chrono::seconds(30);
  rt::Duration pong_max = std::chrono::seconds(15);
  // After so many it makes way for another one: the numbers of streams end at 2^30 or so.
  std::uint64_t requests_max = std::uint64_t{1} << 29U;
  // Pings, settings and the like that a server may send in ten seconds.
  std::uint64_t idle_frames_max = 1000;
};

class Http2Connection final : public Connection,
                              public std::enable_shared_from_this<Http2Connection>,
                              private Http2Session::Observer {
 public:
  static std::shared_ptr<Http2Connection> start(rt::Runtime& runtime,
                                                std::unique_ptr<ByteStream> stream,
                                                const Http2ConnectionOptions& options);
  ~Http2Connection() override;

  std::size_t free_streams() const override;
  bool is_closing() const override { return is_closing_ || failure_.has_value(); }
  std::size_t exchanges() const override { return exchanges_.size(); }
  void on_change(std::function<void()> told) override { told_ = std::move(told); }
  Result<std::unique_ptr<Exchange>> send(const RequestHead& head, std::string body) override;
  void close_when_idle() override;

 private:
  class StreamExchange;

  Http2Connection(rt::Runtime& runtime,
                  std::unique_ptr<ByteStream> stream,
                  const Http2ConnectionOptions& options);

  rt::Task<void> read();
  rt::Task<void> write();
  rt::Task<void> keep_alive();
  void fail(Error why);
  void give_up(StreamId stream);
  void consumed(StreamId stream, std::size_t bytes);
  void tell();

  void on_response(StreamId stream, ResponseHead head) override;
  void on_data(StreamId stream, std::string_view bytes) override;
  void on_end(StreamId stream) override;
  void on_reset(StreamId stream, Reset why) override;
  void on_goaway(StreamId last, Reset why, std::string_view text) override;

  rt::Runtime& runtime_;
  Http2ConnectionOptions options_;
  std::unique_ptr<ByteStream> stream_;
  Http2Session session_;
  boost::unordered_flat_map<StreamId, std::shared_ptr<ArrivingAnswer>> exchanges_;
  rt::Event has_output_;
  rt::Time last_read_{};
  FrameRate idle_frames_;
  bool is_closing_ = false;
  std::optional<Error> failure_;
  std::function<void()> told_;
  rt::Scope scope_;
};

}  // namespace berth::net
