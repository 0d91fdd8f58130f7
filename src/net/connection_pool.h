// Connections to one server, opened as its exchanges need them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/byte_stream.h"
#include "net/connection.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/http1_connection.h"
#include "net/http2_connection.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {

// A stream to the server, and what is spoken on it.
struct Dialled {
  std::unique_ptr<ByteStream> stream;
  Protocol protocol = Protocol::kHttp2;
};
using Dial = std::function<rt::Task<Result<Dialled>>(rt::Until)>;

struct PoolOptions {
  std::size_t connections_max = 4;
  // Where the server speaks HTTP/1.1 every request, and every watch, takes a connection of its own.
  std::size_t http1_connections_max = 64;
  rt::Duration connect_max = std::chrono::seconds(10);
  Http2ConnectionOptions http2;
  Http1ConnectionOptions http1;
};

class ConnectionPool {
 public:
  ConnectionPool(rt::Runtime& runtime, Dial dial, const PoolOptions& options);

  // Sends the request on a connection that takes it, and waits for one where none does.
  rt::Task<Result<std::unique_ptr<Exchange>>> send(RequestHead head,
                                                   std::string body,
                                                   rt::Until until);

  // New requests go to new connections: the credentials have changed.
  void renew();

  std::size_t connections() const { return connections_.size(); }

 private:
  std::shared_ptr<Connection> freest();
  bool is_full() const;
  std::shared_ptr<Connection> start(Dialled dialled);
  rt::Task<Result<void>> open(rt::Until until);

  rt::Runtime& runtime_;
  Dial dial_;
  PoolOptions options_;
  std::vector<std::shared_ptr<Connection>> connections_;
  Protocol protocol_ = Protocol::kHttp2;  // of the last one
  bool is_dialling_ = false;
  // Shared with the connections, which may outlive the pool.
  std::shared_ptr<rt::WaitQueue> changed_;
};

}  // namespace berth::net
