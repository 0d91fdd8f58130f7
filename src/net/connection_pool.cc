#include "net/connection_pool.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/connection.h"
#include "net/exchange.h"
#include "net/http.h"
#include "net/http1_connection.h"
#include "net/http2_connection.h"
#include "net/wake_error.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

// Somebody dials, for as long as it lives. Those who wait for the connection hear of its end, also
// when there is none or the coroutine is given up: another one may try.
class Dialling {
 public:
  Dialling(bool& flag, rt::WaitQueue& changed) : flag_(flag), changed_(changed) { flag_ = true; }
  Dialling(const Dialling&) = delete;
  Dialling& operator=(const Dialling&) = delete;
  ~Dialling() {
    flag_ = false;
    changed_.notify_all();
  }

 private:
  bool& flag_;
  rt::WaitQueue& changed_;
};

}  // namespace

ConnectionPool::ConnectionPool(rt::Runtime& runtime, Dial dial, const PoolOptions& options)
    : runtime_(runtime),
      dial_(std::move(dial)),
      options_(options),
      changed_(std::make_shared<rt::WaitQueue>(runtime, "a connection to the server")) {}

rt::Task<Result<std::unique_ptr<Exchange>>> ConnectionPool::send(RequestHead head,
                                                                 std::string body,
                                                                 rt::Until until) {
  while (true) {
    if (const auto connection = freest()) {
      co_return connection->send(head, std::move(body));
    }
    if (is_dialling_ || is_full()) {
      const rt::Wake wake = co_await changed_->wait(until);
      if (wake != rt::Wake::kNotified) {
        co_return error_of(wake).in("waiting for a connection");
      }
      continue;
    }
    auto opened = co_await open(until);
    if (!opened) {
      co_return std::move(opened).error();
    }
  }
}

void ConnectionPool::renew() {
  for (const auto& connection : connections_) {
    connection->close_when_idle();
  }
  connections_.clear();
}

// The connection with the most room, or nullptr; those that close are forgotten. Their exchanges
// keep them.
std::shared_ptr<Connection> ConnectionPool::freest() {
  std::erase_if(connections_, [](const auto& connection) { return connection->is_closing(); });
  const auto found = std::ranges::max_element(
      connections_, {}, [](const auto& connection) { return connection->free_streams(); });
  return found == connections_.end() || (*found)->free_streams() == 0 ? nullptr : *found;
}

bool ConnectionPool::is_full() const {
  return connections_.size() >= (protocol_ == Protocol::kHttp2 ? options_.connections_max
                                                               : options_.http1_connections_max);
}

std::shared_ptr<Connection> ConnectionPool::start(Dialled dialled) {
  if (dialled.protocol == Protocol::kHttp2) {
    return Http2Connection::start(runtime_, std::move(dialled.stream), options_.http2);
  }
  return Http1Connection::start(runtime_, std::move(dialled.stream), options_.http1);
}

rt::Task<Result<void>> ConnectionPool::open(rt::Until until) {
  const auto changed = changed_;
  rt::Until sooner = until;
  sooner.deadline = std::min(until.deadline, after(runtime_.now(), options_.connect_max));
  Result<Dialled> dialled = Error(ErrorCode::kInternal, "");
  {
    const Dialling dialling(is_dialling_, *changed);
    dialled = co_await dial_(sooner);
  }
  if (!dialled) {
    co_return std::move(dialled).error();
  }
  protocol_ = dialled->protocol;
  auto connection = start(*std::move(dialled));
  connection->on_change([changed] { changed->notify_all(); });
  connections_.push_back(std::move(connection));
  co_return Result<void>();
}

}  // namespace berth::net
