// Which key is to be handled next. Decides only; work_queue.h waits.
//
// Each key is in one of these states:
//
//   absent     nothing to do
//   waiting    in line, once however often it was added
//   handled    a worker has it
//   again      a worker has it, and it was added meanwhile: back in line when the worker is done
//
// and may besides be delayed: in line again when its time comes. The line is first come, first
// served, and who comes back stands at its end, so no key starves another.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/hash_map.h"
#include "kube/backoff.h"
#include "rt/time.h"

namespace berth::kube {

struct WorkQueueOptions {
  // As client-go's default rate limiter for one item.
  Backoff backoff{.min = std::chrono::milliseconds(5), .max = std::chrono::seconds(1000)};
};

template <typename Key>
class WorkQueueState {
 public:
  using Options = WorkQueueOptions;
  enum class InputType : std::uint8_t {
    kAdd,       // in line, now
    kAddAfter,  // in line when `delay` is over; the earlier of two counts
    kTake,      // a worker is free: the answer is the key it gets, if any
    kDone,      // the worker has handled the key
    kRetry,     // as kDone, and it failed: delayed, longer each time in a row
    kGiveBack,  // as kDone, and it was not handled: in line again
    kForget,    // the failures of the key no longer count
    kShutDown,  // nothing is added any more, what is delayed is dropped; the line is worked off
  };
  struct Input {
    InputType type = InputType::kTake;
    Key key = {};
    rt::Duration delay{};
  };
  struct Output {
    std::optional<Key> key;  // of kTake
    // Something can be taken, or can be earlier than before.
    bool has_news = false;
  };

  explicit WorkQueueState(WorkQueueOptions options) : options_(options) {}

  Output step(const Input& input, rt::Time now);

  // When the next delayed key is due; kNever without one.
  rt::Time next_due() const {
    return delayed_.empty() ? rt::kNever : delayed_.begin()->first.first;
  }
  bool has_waiting() const { return !line_.empty(); }
  bool is_shut_down() const { return is_shut_down_; }
  // Keys in line, delayed, handled, or remembered because they failed.
  std::size_t size() const { return keys_.size(); }
  // How often it failed in a row.
  std::uint32_t failures(const Key& key) const;

 private:
  enum class State : std::uint8_t { kAbsent, kWaiting, kHandled, kAgain };
  struct Entry {
    State state = State::kAbsent;
    std::uint32_t failures = 0;
    std::optional<std::pair<rt::Time, std::uint64_t>> due;  // its place in delayed_

    bool operator==(const Entry&) const = default;
  };

  bool line_up(const Key& key, Entry& entry);
  bool delay(const Key& key, Entry& entry, rt::Time due);
  // Ends the handling of a key; whether it is in line now.
  bool release(const Key& key, bool is_given_back);
  std::optional<Key> take();
  void line_up_due(rt::Time now);
  void shut_down();
  // Keeps no entry that says nothing.
  void tidy(const Key& key);

  // Constant after construction.
  WorkQueueOptions options_;

  bool is_shut_down_ = false;
  HashMap<Key, Entry> keys_;
  std::deque<Key> line_;
  std::map<std::pair<rt::Time, std::uint64_t>, Key> delayed_;  // by time, then order of arrival
  std::uint64_t delays_ = 0;
};

template <typename Key>
typename WorkQueueState<Key>::Output WorkQueueState<Key>::step(const Input& input, rt::Time now) {
  Output output;
  switch (input.type) {
    case InputType::kAdd:
      output.has_news = !is_shut_down_ && line_up(input.key, keys_[input.key]);
      break;
    case InputType::kAddAfter:
      output.has_news =
          !is_shut_down_ && delay(input.key, keys_[input.key], rt::after(now, input.delay));
      break;
    case InputType::kTake:
      line_up_due(now);
      output.key = take();
      return output;
    case InputType::kDone:
      output.has_news = release(input.key, false);
      break;
    case InputType::kGiveBack:
      output.has_news = release(input.key, true);
      break;
    case InputType::kRetry: {
      Entry& entry = keys_[input.key];
      const rt::Time due = rt::after(now, options_.backoff.after(++entry.failures));
      output.has_news = !is_shut_down_ && delay(input.key, entry, due);
      output.has_news |= release(input.key, false);
      break;
    }
    case InputType::kForget:
      if (const auto found = keys_.find(input.key); found != keys_.end()) {
        found->second.failures = 0;
      }
      break;
    case InputType::kShutDown:
      shut_down();
      return output;
  }
  tidy(input.key);
  return output;
}

template <typename Key>
std::optional<Key> WorkQueueState<Key>::take() {
  if (line_.empty()) {
    return std::nullopt;
  }
  std::optional<Key> key(std::move(line_.front()));
  line_.pop_front();
  Entry& entry = keys_.at(*key);
  BERTH_ASSERT(entry.state == State::kWaiting, "who is in line is not handled");
  entry.state = State::kHandled;
  return key;
}

template <typename Key>
bool WorkQueueState<Key>::line_up(const Key& key, Entry& entry) {
  switch (entry.state) {
    case State::kAbsent:
      entry.state = State::kWaiting;
      line_.push_back(key);
      return true;
    case State::kHandled:
      entry.state = State::kAgain;
      return false;
    case State::kWaiting:
    case State::kAgain:
      // Once is enough.
      return false;
  }
  return false;
}

template <typename Key>
bool WorkQueueState<Key>::delay(const Key& key, Entry& entry, rt::Time due) {
  if (entry.due && entry.due->first <= due) {
    return false;
  }
  if (entry.due) {
    delayed_.erase(*entry.due);
  }
  const bool is_next = due < next_due();
  entry.due = {due, delays_++};
  delayed_.emplace(*entry.due, key);
  return is_next;
}

template <typename Key>
bool WorkQueueState<Key>::release(const Key& key, bool is_given_back) {
  Entry& entry = keys_.at(key);
  BERTH_ASSERT(entry.state == State::kHandled || entry.state == State::kAgain,
               "only a key that is handled is released");
  const bool is_again = entry.state == State::kAgain || is_given_back;
  entry.state = State::kAbsent;
  return is_again && line_up(key, entry);
}

template <typename Key>
void WorkQueueState<Key>::line_up_due(rt::Time now) {
  while (next_due() <= now) {
    const Key key = std::move(delayed_.begin()->second);
    delayed_.erase(delayed_.begin());
    Entry& entry = keys_.at(key);
    entry.due.reset();
    line_up(key, entry);
  }
}

template <typename Key>
void WorkQueueState<Key>::shut_down() {
  is_shut_down_ = true;
  while (!delayed_.empty()) {
    const Key key = std::move(delayed_.begin()->second);
    delayed_.erase(delayed_.begin());
    keys_.at(key).due.reset();
    tidy(key);
  }
}

template <typename Key>
void WorkQueueState<Key>::tidy(const Key& key) {
  const auto found = keys_.find(key);
  if (found != keys_.end() && found->second == Entry{}) {
    keys_.erase(found);
  }
}

template <typename Key>
std::uint32_t WorkQueueState<Key>::failures(const Key& key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() ? found->second.failures : 0;
}

}  // namespace berth::kube
