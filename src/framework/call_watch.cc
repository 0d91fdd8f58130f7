#include "framework/call_watch.h"

#include <atomic>
#include <cstdint>
#include <optional>

#include "rt/time.h"

namespace berth::framework {

const CallName* CallWatch::enter(const CallName* name) {
  const CallName* before = current_.exchange(name, std::memory_order_release);
  moves_.fetch_add(1, std::memory_order_release);
  return before;
}

std::optional<CallWatch::Sighting> CallWatch::look() const {
  const std::uint64_t moves = moves_.load(std::memory_order_acquire);
  const CallName* name = current_.load(std::memory_order_acquire);
  if (name == nullptr || moves != moves_.load(std::memory_order_acquire)) {
    return std::nullopt;
  }
  return Sighting{.moves = moves, .name = name};
}

std::optional<Hang> HangDetector::step(const std::optional<CallWatch::Sighting>& sighting,
                                       rt::Time now) {
  if (!sighting) {
    moves_.reset();
    return std::nullopt;
  }
  if (moves_ != sighting->moves) {
    moves_ = sighting->moves;
    since_ = now;
    is_told_ = false;
  }
  if (is_told_ || now - since_ < limit_) {
    return std::nullopt;
  }
  is_told_ = true;
  return Hang{.call = *sighting->name, .seen_for = now - since_};
}

}  // namespace berth::framework
