#include "net/connection_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/connection.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/http2_session.h"
#include "net/memory_stream.h"
#include "net/testing/echo_server.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ConnectionPoolTest : public testing::Test {
 public:
  using Answer = Result<std::unique_ptr<Exchange>>;

  rt::Task<Result<Dialled>> dial(rt::Until until) {
    ++dials;
    co_await rt::sleep_for(simulation, dial_takes, until.token);
    if (is_unreachable) {
      co_return Error(ErrorCode::kUnavailable, "connection refused");
    }
    auto [ours, theirs] = make_stream_pair(simulation);
    if (protocol == Protocol::kHttp1) {
      silent.push_back(std::move(theirs));
      co_return Dialled{std::move(ours), protocol};
    }
    servers.push_back(std::make_unique<testing_support::EchoServer>(
        simulation, std::move(theirs), Http2Limits{.streams_max = 2}));
    scope.spawn("server", servers.back()->run(scope.token()));
    co_return Dialled{std::move(ours), Protocol::kHttp2};
  }

  static rt::Task<void> send(ConnectionPool* pool,
                             std::string path,
                             Answer* answer,
                             rt::Until until) {
    RequestHead head{.method = "GET", .scheme = "http", .authority = "echo", .path = path};
    *answer = co_await pool->send(std::move(head), "", until);
  }

  // Starts a request; what became of it is in the answer as soon as it is sent.
  void start(Answer& answer, const rt::Until& until = {}) {
    scope.spawn("request", send(&pool, "/never", &answer, until));
  }

  static rt::Task<void> say(ByteStream* stream, std::string text) {
    static_cast<void>(co_await stream->write(text, {}));
  }

  static Answer nothing() { return Error(ErrorCode::kInternal, "not sent"); }

  rt::Simulation simulation{1};
  int dials = 0;
  milliseconds dial_takes{10};
  bool is_unreachable = false;
  Protocol protocol = Protocol::kHttp2;
  std::vector<std::unique_ptr<ByteStream>> silent;  // ends of servers that never answer
  std::vector<std::unique_ptr<testing_support::EchoServer>> servers;
  ConnectionPool pool{simulation,
                      [this](rt::Until until) { return dial(until); },
                      {.connections_max = 2, .http1_connections_max = 3}};
  rt::Scope scope{simulation, "test"};
};

TEST_F(ConnectionPoolTest, RequestsShareAConnection) {
  Answer first = nothing();
  Answer second = nothing();
  start(first);
  start(second);
  simulation.run_for(seconds(1));
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_EQ(dials, 1);
}

TEST_F(ConnectionPoolTest, AFullConnectionGetsACompanion) {
  std::vector<Answer> answers;
  for (int i = 0; i < 4; ++i) {
    answers.push_back(nothing());
  }
  for (Answer& answer : answers) {
    start(answer);
    simulation.run_for(seconds(1));
    EXPECT_TRUE(answer);
  }
  EXPECT_EQ(pool.connections(), 2U);
}

TEST_F(ConnectionPoolTest, WhereNothingIsFreeARequestWaitsForAnother) {
  std::vector<Answer> answers;
  for (int i = 0; i < 5; ++i) {
    answers.push_back(nothing());
  }
  for (Answer& answer : answers) {
    start(answer);
    simulation.run_for(seconds(1));
  }
  EXPECT_FALSE(answers[4]);
  answers[0] = nothing();  // gives it up
  simulation.run_for(seconds(1));
  EXPECT_TRUE(answers[4]);
  EXPECT_EQ(dials, 2);
}

TEST_F(ConnectionPoolTest, AWaitHasAnEnd) {
  std::vector<Answer> answers;
  for (int i = 0; i < 5; ++i) {
    answers.push_back(nothing());
  }
  for (Answer& answer : answers) {
    start(answer, {.deadline = simulation.now() + seconds(3)});
    simulation.run_for(milliseconds(100));
  }
  simulation.run_for(seconds(5));
  ASSERT_FALSE(answers[4]);
  EXPECT_EQ(answers[4].error().code(), ErrorCode::kTimeout);
}

TEST_F(ConnectionPoolTest, ALostConnectionIsReplaced) {
  Answer first = nothing();
  start(first);
  simulation.run_for(seconds(1));
  servers[0]->cut();
  simulation.run_for(seconds(1));
  Answer second = nothing();
  start(second);
  simulation.run_for(seconds(1));
  EXPECT_TRUE(second);
  EXPECT_EQ(dials, 2);
  EXPECT_EQ(pool.connections(), 1U);
}

TEST_F(ConnectionPoolTest, AnUnreachableServerIsToldToWhoAsks) {
  is_unreachable = true;
  Answer first = nothing();
  start(first);
  simulation.run_for(seconds(1));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().text(), "connection refused");
  is_unreachable = false;
  Answer second = nothing();
  start(second);
  simulation.run_for(seconds(1));
  EXPECT_TRUE(second);
}

TEST_F(ConnectionPoolTest, WhoWaitsForAnothersConnectionTriesItselfWhenThatFails) {
  is_unreachable = true;
  Answer first = nothing();
  Answer second = nothing();
  start(first);
  start(second);
  simulation.run_for(seconds(1));
  EXPECT_EQ(dials, 2);
  EXPECT_EQ(second.error().text(), "connection refused");
}

TEST_F(ConnectionPoolTest, WhoWaitsForAnothersConnectionTriesItselfWhenThatIsGivenUp) {
  Answer first = nothing();
  auto given_up = std::make_unique<rt::Scope>(simulation, "given up");
  given_up->spawn("request", send(&pool, "/never", &first, {}));
  simulation.run_for(milliseconds(5));
  Answer second = nothing();
  start(second);
  simulation.run_for(milliseconds(1));
  EXPECT_EQ(dials, 1);
  given_up.reset();
  simulation.run_for(seconds(1));
  EXPECT_TRUE(second);
  EXPECT_EQ(dials, 2);
}

// As many streams as their numbers allow: the connection makes way for another one.
TEST_F(ConnectionPoolTest, AConnectionThatIsUsedUpIsReplaced) {
  ConnectionPool short_lived(simulation,
                             [this](rt::Until until) { return dial(until); },
                             {.connections_max = 1, .http2 = {.requests_max = 2}});
  for (int i = 0; i < 5; ++i) {
    Answer answer = nothing();
    scope.spawn("request", send(&short_lived, "/never", &answer, {}));
    simulation.run_for(seconds(1));
    EXPECT_TRUE(answer) << i;
  }
  EXPECT_EQ(dials, 3);
}

TEST_F(ConnectionPoolTest, WithHttp1EveryRequestHasAConnectionOfItsOwn) {
  protocol = Protocol::kHttp1;
  std::vector<Answer> answers;
  for (int i = 0; i < 4; ++i) {
    answers.push_back(nothing());
  }
  for (Answer& answer : answers) {
    start(answer);
    simulation.run_for(seconds(1));
  }
  EXPECT_EQ(dials, 3);
  EXPECT_TRUE(answers[2]);
  EXPECT_FALSE(answers[3]);
  answers[0] = nothing();  // given up: its connection is of no more use
  simulation.run_for(seconds(1));
  EXPECT_TRUE(answers[3]);
  EXPECT_EQ(dials, 4);
}

TEST_F(ConnectionPoolTest, AnIdleConnectionThatTheServerClosedIsNotUsed) {
  protocol = Protocol::kHttp1;
  Answer first = nothing();
  start(first);
  simulation.run_for(seconds(1));
  const std::string bytes = "HTTP/1.1 204 No Content\r\n\r\n";
  scope.spawn("server", say(silent[0].get(), bytes));
  simulation.run_for(seconds(1));
  EXPECT_EQ(pool.connections(), 1U);
  silent[0]->close();
  simulation.run_for(seconds(1));
  Answer second = nothing();
  start(second);
  simulation.run_for(seconds(1));
  EXPECT_TRUE(second);
  EXPECT_EQ(dials, 2);
}

TEST_F(ConnectionPoolTest, RenewedItOpensAnother) {
  Answer first = nothing();
  start(first);
  simulation.run_for(seconds(1));
  pool.renew();
  Answer second = nothing();
  start(second);
  simulation.run_for(seconds(1));
  EXPECT_TRUE(second);
  EXPECT_EQ(dials, 2);
}

}  // namespace
}  // namespace berth::net
