// TCP connections on the real runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/byte_stream.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {

struct Endpoint {
  std::string host;  // a name or an address, IPv6 without brackets
  std::uint16_t port = 0;

  std::string text() const;  // "127.0.0.1:6443", "[::1]:6443"
};

// Tries the addresses of the host one after the other. The error says what to look at.
rt::Task<Result<std::unique_ptr<ByteStream>>> connect_tcp(rt::RealRuntime* runtime,
                                                          Endpoint endpoint,
                                                          rt::Until until);

// Accepts connections on an address of this machine.
class TcpListener {
 public:
  // Port 0 takes a free one.
  static Result<std::unique_ptr<TcpListener>> open(rt::RealRuntime& runtime,
                                                   const Endpoint& endpoint);
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  ~TcpListener();

  std::uint16_t port() const;
  rt::Task<Result<std::unique_ptr<ByteStream>>> accept(rt::Until until);

 private:
  struct State;
  explicit TcpListener(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace berth::net
