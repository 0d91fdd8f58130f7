// A bounded queue between tasks: a full one makes senders wait, an empty one receivers.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::rt {

template <typename Item>
class Channel {
 public:
  // `what` names it in reports and outlives it.
  Channel(Runtime& runtime, std::string_view what, std::size_t capacity)
      : capacity_(capacity), senders_(runtime, what), receivers_(runtime, what) {
    BERTH_ASSERT(capacity > 0, "a channel holds something");
  }

  std::size_t size() const { return items_.size(); }
  bool is_closed() const { return is_closed_; }

  // False when the channel is full or closed; the item is as it was.
  bool try_send(Item& item) {
    if (is_closed_ || items_.size() >= capacity_) {
      return false;
    }
    items_.push_back(std::move(item));
    receivers_.notify_one();
    return true;
  }

  // False when the wait ended before there was room, or the channel is closed.
  Task<bool> send(Item item, Until until) {
    while (!try_send(item)) {
      if (is_closed_) {
        co_return false;
      }
      const Wake wake = co_await senders_.wait(until);
      if (wake != Wake::kNotified) {
        co_return false;
      }
    }
    co_return true;
  }

  std::optional<Item> try_receive() {
    if (items_.empty()) {
      return std::nullopt;
    }
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    senders_.notify_one();
    return item;
  }

  // Nothing when the wait ended before an item came, or the channel is closed and empty.
  Task<std::optional<Item>> receive(Until until) {
    while (items_.empty() && !is_closed_) {
      const Wake wake = co_await receivers_.wait(until);
      if (wake != Wake::kNotified) {
        co_return std::nullopt;
      }
    }
    co_return try_receive();
  }

  // Nothing more is sent; what is there can still be received.
  void close() {
    is_closed_ = true;
    senders_.notify_all();
    receivers_.notify_all();
  }

 private:
  std::size_t capacity_;
  bool is_closed_ = false;
  std::deque<Item> items_;
  WaitQueue senders_;
  WaitQueue receivers_;
};

}  // namespace berth::rt
