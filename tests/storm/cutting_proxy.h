// A wire between clients and a server that can be cut: TCP on loopback, passed on byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "net/byte_stream.h"
#include "net/tcp.h"
#include "rt/random.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"

namespace berth::tests {

class CuttingProxy {
 public:
  static Result<std::unique_ptr<CuttingProxy>> open(rt::RealRuntime& runtime, net::Endpoint server);

  net::Endpoint endpoint() const { return {.host = "127.0.0.1", .port = listener_->port()}; }
  // Cuts about half of what is connected, wherever it stands; gives how many.
  std::size_t cut_some(rt::Random& random);

 private:
  // One connection of a client, and the one to the server that belongs to it.
  struct Line {
    std::unique_ptr<net::ByteStream> client;
    std::unique_ptr<net::ByteStream> server;

    void cut() const {
      client->close();
      server->close();
    }
  };

  CuttingProxy(rt::RealRuntime& runtime,
               net::Endpoint server,
               std::unique_ptr<net::TcpListener> listener);

  rt::Task<void> accept();
  rt::Task<void> connect(std::unique_ptr<net::ByteStream> client);
  static rt::Task<void> pass_on(std::shared_ptr<Line> line,
                                net::ByteStream* from,
                                net::ByteStream* to);

  rt::RealRuntime& runtime_;
  net::Endpoint server_;
  std::unique_ptr<net::TcpListener> listener_;
  std::vector<std::weak_ptr<Line>> lines_;
  rt::Scope scope_;
};

}  // namespace berth::tests
