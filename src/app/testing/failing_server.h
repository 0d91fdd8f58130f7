// A server over loopback that a test makes fail, and what `berth ping` says of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base64.h"
#include "app/ping.h"
#include "base/assert.h"
#include "base/result.h"
#include "kube/config/find_config.h"
#include "kube/server_connection.h"
#include "kube/testing/fake_surroundings.h"
#include "net/byte_stream.h"
#include "net/connection_pool.h"
#include "net/dial.h"
#include "net/http.h"
#include "net/tcp.h"
#include "net/testing/answering_server.h"
#include "net/testing/certificates.h"
#include "net/tls.h"
#include "rt/programs.h"
#include "rt/real/process.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::app::testing_support {

// Real programs with less patience.
class HastyPrograms final : public rt::Programs {
 public:
  explicit HastyPrograms(rt::RealRuntime& runtime)
      : programs_(runtime, std::chrono::milliseconds(50)) {}

  rt::Task<Result<rt::ProgramEnd>> run(rt::Program program, rt::Until until) override {
    program.time_max = std::min<rt::Duration>(program.time_max, time_max);
    return programs_.run(std::move(program), until);
  }

  rt::Duration time_max = std::chrono::hours(1);

 private:
  rt::RealPrograms programs_;
};

// What a test fixture is made of.
class FailingServer {
 protected:
  enum class Speaks : std::uint8_t { kTls, kClear, kNothing };

  FailingServer() {
    auto opened = net::TcpListener::open(runtime_, {.host = "127.0.0.1", .port = 0});
    BERTH_ASSERT(opened, "loopback has a free port");
    listener_ = *std::move(opened);
  }

  // A kubeconfig for the server, with more for its cluster and its user.
  void write_config(const std::string& user, const std::string& cluster = "") {
    surroundings_.variables["KUBECONFIG"] = "F";
    surroundings_.files["F"] = fmt::format(
        "current-context: me@it\n"
        "contexts: [{{name: me@it, context: {{cluster: it, user: me}}}}]\n"
        "clusters: [{{name: it, cluster: {{server: 'https://{}:{}'{}}}}}]\n"
        "users: [{{name: me, user: {{{}}}}}]\n",
        host_,
        listener_ ? listener_->port() : 1,
        cluster.empty() ? trust(server_) : cluster,
        user);
  }
  static std::string trust(const net::Identity& authority) {
    return ", certificate-authority-data: " + api::to_base64(authority.certificate_pem);
  }
  static std::string plugin(const std::string& script) {
    return "exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/sh, args: [-c, '" +
           script + "']}";
  }

  static rt::Task<void> serve(FailingServer* test) {
    while (true) {
      auto stream = co_await test->listener_->accept({.token = test->scope_.token()});
      if (!stream) {
        co_return;
      }
      ++test->connections_;
      test->scope_.spawn("connection", serve_one(test, *std::move(stream)));
    }
  }

  static rt::Task<void> serve_one(FailingServer* test, std::unique_ptr<net::ByteStream> stream) {
    if (test->speaks_ == Speaks::kNothing) {
      test->silent_.push_back(std::move(stream));
      co_return;
    }
    if (test->speaks_ == Speaks::kTls) {
      auto context = net::TlsContext::server({.identity = test->server_,
                                              .client_authorities_pem = test->client_authorities_,
                                              .protocols = {"h2"}});
      BERTH_ASSERT(context, "the certificate was made for this");
      auto secured = co_await net::secure(
          &test->runtime_, std::move(stream), *context, "", {.token = test->scope_.token()});
      if (!secured) {
        co_return;
      }
      stream = std::move(secured->stream);
    }
    net::testing_support::AnsweringServer server(
        test->runtime_, std::move(stream), [test](const net::RequestHead& head) {
          test->requests_.push_back(head);
          return test->reply_(head);
        });
    co_await server.run(test->scope_.token());
  }

  static rt::Task<void> ask(FailingServer* test,
                            kube::ServerConnection* server,
                            std::optional<Result<Pong>>* pong) {
    pong->emplace(co_await ask_version(server, {}));
    test->runtime_.stop();
  }

  // The answer, or the line that says what is wrong.
  std::string ping(const std::string& context = "") {
    auto config = kube::config::find_config({.context = context}, surroundings_);
    if (!config) {
      return config.error().text();
    }
    net::PoolOptions options;
    options.connect_max = connect_max_;
    kube::ServerConnection server(
        *std::move(config),
        {.runtime = runtime_,
         .programs = programs_,
         .surroundings = surroundings_,
         .dial =
             [this](net::Endpoint endpoint, std::optional<net::TlsSource> tls, std::string name) {
               return net::dial_server(
                   runtime_, std::move(endpoint), std::move(tls), std::move(name));
             }},
        options);
    std::optional<Result<Pong>> pong;
    rt::Scope asking(runtime_, "asking");
    scope_.spawn("server", serve(this));
    asking.spawn("ask", ask(this, &server, &pong));
    runtime_.run();
    if (!*pong) {
      return pong->error().text();
    }
    return fmt::format("{} as {}", (*pong)->version, (*pong)->context);
  }

  std::string url() const {
    return fmt::format("https://{}:{}", host_, listener_ ? listener_->port() : 1);
  }

  static net::testing_support::Reply version() {
    return {.body = R"({"major":"1","gitVersion":"v1.36.3"})"};
  }
  // As a server that knows one token.
  static net::testing_support::Reply version_for(const net::RequestHead& head,
                                                 const std::string& token) {
    if (net::find_header(head.headers, "authorization") == "Bearer " + token) {
      return version();
    }
    return {.status = 401,
            .body = R"({"kind":"Status","apiVersion":"v1","message":"Unauthorized","code":401})"};
  }

  Speaks speaks_ = Speaks::kTls;
  std::string host_ = "127.0.0.1";
  net::Identity server_ = net::testing_support::self_signed("IP:127.0.0.1", std::chrono::hours(1));
  std::string client_authorities_;
  net::testing_support::Replies reply_ = [](const net::RequestHead&) { return version(); };
  rt::Duration connect_max_ = std::chrono::seconds(10);
  kube::testing_support::FakeSurroundings surroundings_;

  rt::RealRuntime runtime_{1};
  HastyPrograms programs_{runtime_};
  std::unique_ptr<net::TcpListener> listener_;
  int connections_ = 0;
  std::vector<net::RequestHead> requests_;
  std::vector<std::unique_ptr<net::ByteStream>> silent_;
  rt::Scope scope_{runtime_, "servers"};
};

}  // namespace berth::app::testing_support
