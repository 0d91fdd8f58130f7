// On the real runtime and loopback.
#include "net/tcp.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/failure.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

class TcpTest : public testing::Test {
 public:
  void SetUp() override {
    auto opened = TcpListener::open(runtime, {.host = "127.0.0.1"});
    ASSERT_TRUE(opened) << opened.error().text();
    listener = *std::move(opened);
  }

  rt::Until soon() { return {.deadline = runtime.now() + std::chrono::seconds(20)}; }
  Endpoint endpoint() const { return {.host = "127.0.0.1", .port = listener->port()}; }

  // Reads until the other ends, and sends all of it back.
  rt::Task<void> echo() {
    auto stream = co_await listener->accept(soon());
    if (!stream) {
      co_return;
    }
    std::string all;
    std::array<char, 10'000> buffer{};
    while (true) {
      const auto count = co_await (*stream)->read(buffer, soon());
      if (!count || *count == 0) {
        co_return;
      }
      all.assign(buffer.data(), *count);
      const auto written = co_await (*stream)->write(all, soon());
      if (!written) {
        co_return;
      }
    }
  }

  rt::Task<void> exchange(std::string text, Result<std::string>* answer) {
    auto stream = co_await connect_tcp(&runtime, endpoint(), soon());
    if (!stream) {
      *answer = std::move(stream).error();
      runtime.stop();
      co_return;
    }
    scope.spawn("writer", write_all(stream->get(), &text));
    std::string got;
    std::array<char, 7'777> buffer{};
    while (got.size() < text.size()) {
      const auto count = co_await (*stream)->read(buffer, soon());
      if (!count || *count == 0) {
        break;
      }
      got.append(buffer.data(), *count);
    }
    *answer = got;
    runtime.stop();
  }

  rt::Task<void> write_all(ByteStream* stream, const std::string* text) {
    static_cast<void>(co_await stream->write(*text, soon()));
  }

  rt::Task<void> connect(Endpoint to, Result<std::unique_ptr<ByteStream>>* answer) {
    *answer = co_await connect_tcp(&runtime, to, soon());
    runtime.stop();
  }

  // Connects `count` times, and sends so many bytes on the last connection.
  rt::Task<void> connect_often(int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) {
      auto stream = co_await connect_tcp(&runtime, endpoint(), soon());
      if (stream) {
        ours.push_back(*std::move(stream));
      }
    }
    const std::string text(bytes, 'x');
    static_cast<void>(co_await ours.back()->write(text, soon()));
    // The kernel has all of it for the other side by then.
    co_await rt::sleep_for(runtime, std::chrono::milliseconds(50), {});
    runtime.stop();
  }

  rt::Task<void> accept_all() {
    while (true) {
      auto stream = co_await listener->accept({});
      if (!stream) {
        co_return;
      }
      theirs.push_back(*std::move(stream));
      ++steps;
    }
  }

  rt::Task<void> read_all(ByteStream* stream) {
    std::array<char, 10> buffer{};
    while (true) {
      const auto count = co_await stream->read(buffer, {});
      if (!count || *count == 0) {
        co_return;
      }
      ++steps;
    }
  }

  // How far the other task is when it is our turn.
  rt::Task<void> note_steps(int* noted) {
    *noted = steps;
    runtime.stop();
    co_return;
  }

  rt::RealRuntime runtime{1};
  std::unique_ptr<TcpListener> listener;
  std::vector<std::unique_ptr<ByteStream>> ours;
  std::vector<std::unique_ptr<ByteStream>> theirs;
  int steps = 0;  // of accept_all() or read_all()
  rt::Scope scope{runtime, "test"};
};

TEST_F(TcpTest, CarriesMoreThanTheBuffersOfTheKernel) {
  const std::string text(8'000'000, 'x');
  Result<std::string> answer = Error(ErrorCode::kInternal, "");
  scope.spawn("echo", echo());
  scope.spawn("exchange", exchange(text, &answer));
  runtime.run();
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->size(), text.size());
}

// However much there is to read, others have their turn.
TEST_F(TcpTest, ReadsMakeWayForOthers) {
  scope.spawn("accept", accept_all());
  scope.spawn("connect", connect_often(1, 10'000));
  runtime.run();
  ASSERT_EQ(theirs.size(), 1U);
  steps = 0;
  int noted = -1;
  scope.spawn("read", read_all(theirs.front().get()));
  scope.spawn("other", note_steps(&noted));
  runtime.run();
  EXPECT_GT(noted, 0);
  EXPECT_LE(noted, 16);  // of a thousand
}

TEST_F(TcpTest, AcceptsMakeWayForOthers) {
  scope.spawn("connect", connect_often(100, 1));
  runtime.run();
  int noted = -1;
  scope.spawn("accept", accept_all());
  scope.spawn("other", note_steps(&noted));
  runtime.run();
  EXPECT_GT(noted, 0);
  EXPECT_LE(noted, 16);  // of a hundred
}

TEST_F(TcpTest, AClosedPortIsToldWithItsAddress) {
  const Endpoint closed = endpoint();
  listener.reset();
  Result<std::unique_ptr<ByteStream>> answer = Error(ErrorCode::kInternal, "");
  scope.spawn("connect", connect(closed, &answer));
  runtime.run();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().text(), "connecting to " + closed.text() + ": Connection refused");
  EXPECT_EQ(answer.error().reason(), failure::kConnectionRefused);
}

TEST_F(TcpTest, LocalhostNeedsNobodyToLookItUp) {
  Result<std::unique_ptr<ByteStream>> answer = Error(ErrorCode::kInternal, "");
  scope.spawn("connect", connect({.host = "localhost", .port = listener->port()}, &answer));
  runtime.run();
  EXPECT_TRUE(answer) << answer.error().text();
}

TEST_F(TcpTest, APortInUseIsAnError) {
  const auto second = TcpListener::open(runtime, endpoint());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text(),
            "listening on " + endpoint().text() + ": Address already in use");
  EXPECT_FALSE(TcpListener::open(runtime, {.host = "nowhere"}));
}

TEST(Endpoint, IsWrittenAsInAUrl) {
  EXPECT_EQ((Endpoint{.host = "10.0.0.1", .port = 443}.text()), "10.0.0.1:443");
  EXPECT_EQ((Endpoint{.host = "::1", .port = 6443}.text()), "[::1]:6443");
}

}  // namespace
}  // namespace berth::net
