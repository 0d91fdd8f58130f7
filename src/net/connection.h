// A client's connection to a server, whichever version of HTTP it speaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/exchange.h"
#include "net/http.h"

namespace berth::net {

enum class Protocol : std::uint8_t { kHttp1, kHttp2 };

// Exchanges keep their connection. It ends by itself: when the peer does, when it is silent for too
// long, or when it was told to and nothing is under way.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // How many more requests it takes now; none once it is closing.
  virtual std::size_t free_streams() const = 0;
  // No request will be taken any more.
  virtual bool is_closing() const = 0;
  virtual std::size_t exchanges() const = 0;
  // Called whenever it may take a request that it did not take before, or is closing.
  virtual void on_change(std::function<void()> told) = 0;

  // An error, and nothing was sent, when it takes no request.
  virtual Result<std::unique_ptr<Exchange>> send(const RequestHead& head, std::string body) = 0;

  // Takes no more requests; those under way go on.
  virtual void close_when_idle() = 0;
};

}  // namespace berth::net
