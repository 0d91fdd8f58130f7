// A server for tests over HTTP/2: one connection, whose requests a function answers.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
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

struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  bool is_cut = false;  // the connection is closed when the body, which is not its whole, is sent
};
using Replies = std::function<Reply(const RequestHead&)>;

class AnsweringServer final : private Http2Session::Observer {
 public:
  AnsweringServer(rt::Runtime& runtime, std::unique_ptr<ByteStream> stream, Replies replies)
      : stream_(std::move(stream)),
        replies_(std::move(replies)),
        session_(Http2Session::End::kServer, {}, *this),
        has_output_(runtime, "something to send"),
        scope_(runtime, "answering server") {}

  // Until the peer has gone.
  rt::Task<void> run(rt::CancelToken token) {
    scope_.spawn("writer", write());
    has_output_.set();
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

 private:
  rt::Task<void> write() {
    while (true) {
      const std::string bytes = session_.output(64UL * 1024);
      if (!bytes.empty()) {
        const auto written = co_await stream_->write(bytes, {.token = scope_.token()});
        if (!written) {
          co_return;
        }
        continue;
      }
      if (is_cut_) {
        stream_->close();
        co_return;
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
      const Reply reply = replies_(requests_[stream]);
      requests_.erase(stream);
      session_.respond(stream,
                       {.status = reply.status, .headers = {{"content-type", reply.content_type}}});
      session_.send(stream, reply.body);
      if (reply.is_cut) {
        is_cut_ = true;
      } else {
        session_.finish(stream);
      }
    }
  }

  void on_request(StreamId stream, RequestHead head) override {
    requests_[stream] = std::move(head);
  }
  void on_data(StreamId stream, std::string_view bytes) override {
    session_.consume(stream, bytes.size());
  }
  void on_end(StreamId stream) override { complete_.push_back(stream); }
  void on_reset(StreamId stream, Reset /*why*/) override { requests_.erase(stream); }
  void on_goaway(StreamId /*last*/, Reset /*why*/, std::string_view /*text*/) override {}

  std::unique_ptr<ByteStream> stream_;
  Replies replies_;
  Http2Session session_;
  rt::Event has_output_;
  boost::unordered_flat_map<StreamId, RequestHead> requests_;
  std::vector<StreamId> complete_;
  bool is_cut_ = false;
  rt::Scope scope_;
};

}  // namespace berth::net::testing_support
