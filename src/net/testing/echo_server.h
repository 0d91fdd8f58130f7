// A server for tests: one connection, answers by path.
//
//   /echo    the body of the request
//   /refuse  a reset that says the request was not looked at
//   /never   nothing
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/byte_stream.h"
#include "net/http.h"
#include "net/http2_session.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"

namespace berth::net::testing_support {

class EchoServer final : private Http2Session::Observer {
 public:
  EchoServer(rt::Runtime& runtime,
             std::unique_ptr<ByteStream> stream,
             const Http2Limits& limits = {})
      : stream_(std::move(stream)),
        session_(Http2Session::End::kServer, limits, *this),
        has_output_(runtime, "something to send"),
        scope_(runtime, "echo server") {}

  rt::Task<void> run(rt::CancelToken token) {
    scope_.spawn("echo writer", write());
    std::string buffer(64UL * 1024, '\0');
    while (true) {
      const auto count = co_await stream_->read(buffer, {.token = token});
      if (!count || *count == 0 || !session_.receive(std::string_view(buffer).substr(0, *count))) {
        co_return;
      }
      answer_all();
      has_output_.set();
    }
  }

  void cut() { stream_->close(); }
  void fall_silent() { is_silent_ = true; }
  std::size_t open_streams() const { return requests_.size(); }

 private:
  struct Request {
    std::string path;
    std::string body;
  };

  rt::Task<void> write() {
    while (true) {
      const std::string bytes = is_silent_ ? std::string() : session_.output(64UL * 1024);
      if (!bytes.empty()) {
        const auto written = co_await stream_->write(bytes, {.token = scope_.token()});
        if (!written) {
          co_return;
        }
        continue;
      }
      has_output_.reset();
      const rt::Wake wake = co_await has_output_.wait({.token = scope_.token()});
      if (wake != rt::Wake::kNotified) {
        co_return;
      }
    }
  }

  void answer_all() {
    for (const StreamId stream : std::exchange(complete_, {})) {
      const Request& request = requests_[stream];
      if (request.path == "/refuse") {
        session_.reset(stream, Reset::kRefused);
      } else if (request.path == "/echo") {
        session_.respond(stream, {.status = 200});
        session_.send(stream, request.body);
        session_.finish(stream);
        requests_.erase(stream);
      }
    }
  }

  void on_request(StreamId stream, RequestHead head) override {
    requests_[stream].path = head.path;
  }
  void on_data(StreamId stream, std::string_view bytes) override {
    requests_[stream].body += bytes;
    session_.consume(stream, bytes.size());
  }
  void on_end(StreamId stream) override { complete_.push_back(stream); }
  void on_reset(StreamId stream, Reset /*why*/) override { requests_.erase(stream); }
  void on_goaway(StreamId /*last*/, Reset /*why*/, std::string_view /*text*/) override {}

  std::unique_ptr<ByteStream> stream_;
  Http2Session session_;
  rt::Event has_output_;
  boost::unordered_flat_map<StreamId, Request> requests_;
  std::vector<StreamId> complete_;
  bool is_silent_ = false;
  rt::Scope scope_;
};

}  // namespace berth::net::testing_support
