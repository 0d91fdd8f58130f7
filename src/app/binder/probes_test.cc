#include "app/binder/probes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/http.h"
#include "net/http_server.h"
#include "net/memory_stream.h"
#include "net/testing/raw_peer.h"
#include "rt/cancel.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::app {
namespace {

class KeepingWriter final : public net::ResponseWriter {
 public:
  void answer(net::ResponseHead head, std::string_view body) override {
    kept = std::to_string(head.status) + " " + std::string(body);
    type = std::string(net::find_header(head.headers, "content-type").value_or(""));
  }
  void begin(net::ResponseHead /*head*/) override {}
  rt::Task<Result<void>> write(std::string /*piece*/, rt::Until /*until*/) override {
    co_return Error(ErrorCode::kInternal, "answers come whole");
  }
  rt::CancelToken gone() override { return {}; }
  rt::CancelToken stopping() override { return {}; }

  std::string kept;
  std::string type;
};

class ProbesTest : public testing::Test {
 protected:
  static rt::Task<void> ask(Probes* probes, net::ServerRequest request, KeepingWriter* writer) {
    static_cast<void>(co_await probes->handle(std::move(request), writer));
  }
  std::string answer(Probes& probes, const std::string& path, const std::string& method = "GET") {
    rt::Scope scope(simulation_, "test");
    scope.spawn("ask", ask(&probes, {.head = {.method = method, .path = path}}, &writer_));
    simulation_.run_for({});
    return writer_.kept;
  }

  rt::Simulation simulation_{1};
  KeepingWriter writer_;
  std::string why_ = "not yet";
  Probes probes_{{.not_ready = [this] { return why_; }, .metrics = {}}};
  Probes metrics_{{.not_ready = {}, .metrics = [] { return std::string("a 1\n"); }}};
};

TEST_F(ProbesTest, IsHealthyWhileItAnswersAndReadyWhenItIs) {
  EXPECT_EQ(answer(probes_, "/healthz"), "200 ok\n");
  EXPECT_EQ(answer(probes_, "/readyz"), "503 not ready: not yet\n");
  why_.clear();
  EXPECT_EQ(answer(probes_, "/readyz?verbose"), "200 ok\n");
}

TEST_F(ProbesTest, MetricsHaveTheirType) {
  EXPECT_EQ(answer(metrics_, "/metrics"), "200 a 1\n");
  EXPECT_EQ(writer_.type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(answer(metrics_, "/metrics", "HEAD"), "200 ");
}

TEST_F(ProbesTest, WhatIsNotHereIsNotFound) {
  EXPECT_EQ(answer(probes_, "/metrics"), "404 not found\n");
  EXPECT_EQ(answer(metrics_, "/healthz"), "404 not found\n");
  EXPECT_EQ(answer(probes_, "/"), "404 not found\n");
  EXPECT_EQ(answer(probes_, "/healthz", "POST"), "405 only GET\n");
}

// Who sends more than a probe has is refused, and a probe is answered.
TEST_F(ProbesTest, ServesWhatIsSmall) {
  why_ = "";
  net::HttpServer server(simulation_, probes_, {.limits = probe_limits()});
  const auto heard = [&](const std::string& said) {
    auto [ours, theirs] = net::make_stream_pair(simulation_);
    server.serve(std::move(theirs));
    net::testing_support::RawPeer peer(simulation_, std::move(ours));
    peer.say(said);
    simulation_.run_for(std::chrono::seconds(2));
    return peer.heard().substr(0, 12);
  };
  EXPECT_EQ(heard("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"), "HTTP/1.1 200");
  EXPECT_EQ(heard("POST /readyz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"),
            "HTTP/1.1 413");
  EXPECT_EQ(heard("GET /readyz HTTP/1.1\r\nHost: a\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"),
            "HTTP/1.1 431");
}

}  // namespace
}  // namespace berth::app
