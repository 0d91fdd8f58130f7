// Peers that send faster than anybody can read, on the real runtime and loopback: whoever else has
// something to say is heard all the same.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "net/byte_stream.h"
#include "net/http_server.h"
#include "net/tcp.h"
#include "net/testing/raw_peer.h"
#include "net/testing/test_handler.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Sends without end, on a thread of its own, and connects anew when it is cut off. It stops by
// itself after very much, so that a test that fails ends too.
class Flooder {
 public:
  Flooder(std::uint16_t port, std::string first, std::string_view again)
      : port_(port), first_(std::move(first)) {
    while (again_.size() < kPiece) {
      again_ += again;
    }
    thread_ = std::thread([this] { run(); });
  }
  Flooder(const Flooder&) = delete;
  Flooder& operator=(const Flooder&) = delete;
  ~Flooder() {
    is_enough_ = true;
    thread_.join();
  }

  std::size_t said() const { return said_; }
  bool has_stopped() const { return has_stopped_; }

 private:
  static constexpr std::size_t kPiece = 64UL * 1024;
  static constexpr std::size_t kSaidMax = 400UL << 20U;
  static constexpr int kConnectionsMax = 20'000;

  void run() {
    for (int i = 0; i < kConnectionsMax && !is_enough_ && said_ < kSaidMax; ++i) {
      flood_one();
    }
    has_stopped_ = true;
  }

  void flood_one() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // A peer that is not read any more does not keep the test from its end.
    const timeval patience{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    bool goes_on = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                   send_all(socket, first_);
    while (goes_on && !is_enough_ && said_ < kSaidMax) {
      goes_on = send_all(socket, again_);
    }
    ::close(socket);
  }

  bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) {
        return false;
      }
      said_ += static_cast<std::size_t>(count);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  std::uint16_t port_;
  std::string first_;
  std::string again_;
  std::atomic<std::size_t> said_ = 0;
  std::atomic<bool> is_enough_ = false;
  std::atomic<bool> has_stopped_ = false;
  std::thread thread_;
};

struct Flood {
  std::string_view name;
  std::string first;
  std::string again;
};

class FloodedServer : public testing::TestWithParam<Flood> {
 public:
  // A request on a connection of its own, once the flood has come.
  rt::Task<void> ask(const Flooder* flooder, std::uint16_t port) {
    constexpr std::size_t kFloodBegun = 1UL << 20U;
    while (flooder->said() < kFloodBegun) {
      co_await rt::sleep_for(runtime, milliseconds(1), {});
    }
    const rt::Until until{.deadline = runtime.now() + seconds(60)};
    auto stream = co_await connect_tcp(&runtime, {.host = "127.0.0.1", .port = port}, until);
    if (stream) {
      static_cast<void>(co_await (*stream)->write("GET / HTTP/1.1\r\nHost: a\r\n\r\n", until));
      std::array<char, 1000> buffer{};
      const auto count = co_await (*stream)->read(buffer, until);
      heard.assign(buffer.data(), count ? *count : 0);
    }
    was_heard_in_the_flood = !flooder->has_stopped();
    co_await server.stop(runtime.now());
    runtime.stop();
  }

  rt::RealRuntime runtime{1};
  testing_support::TestHandler handler{runtime};
  HttpServer server{runtime, handler, {}};
  std::string heard;
  bool was_heard_in_the_flood = false;
  rt::Scope scope{runtime, "test"};
};

TEST_P(FloodedServer, AnswersTheOthers) {
  auto listener = TcpListener::open(runtime, {.host = "127.0.0.1"});
  ASSERT_TRUE(listener) << listener.error().text();
  const std::uint16_t port = (*listener)->port();
  server.listen(*std::move(listener));
  const Flooder flooder(port, GetParam().first, GetParam().again);
  scope.spawn("ask", ask(&flooder, port));
  runtime.run();
  EXPECT_EQ(heard.substr(0, 12), "HTTP/1.1 200");
  EXPECT_TRUE(was_heard_in_the_flood) << "after " << flooder.said() << " bytes";
}

using testing_support::frame;
using testing_support::hello;
using testing_support::kUnknown;
using testing_support::kWindowUpdate;

INSTANTIATE_TEST_SUITE_P(
    All,
    FloodedServer,
    testing::Values(
        Flood{"ChunksOfOneByte",
              "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
              "1\r\nx\r\n"},
        Flood{"ABodyWithoutEnd",
              "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
              "xxxxxxxxxxxxxxxx"},
        Flood{"Windows", hello(), frame(kWindowUpdate, 0, 0, std::string("\0\0\0\x01", 4))},
        Flood{"UnknownFrames", hello(), frame(kUnknown, 0, 0, "x")}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace berth::net
