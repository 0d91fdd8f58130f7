// How many frames that bring nobody anything a peer of HTTP/2 sends, by time.
#pragma once

#include <chrono>
#include <cstdint>

#include "rt/time.h"

namespace berth::net {

class FrameRate {
 public:
  // Within one of these, and no more than twice as many in any that overlaps two.
  static constexpr rt::Duration kWindow = std::chrono::seconds(10);

  FrameRate(rt::Time now, std::uint64_t frames_max) : since_(now), frames_max_(frames_max) {}

  // `frames`: so many so far, of all times.
  bool is_exceeded(rt::Time now, std::uint64_t frames) {
    if (now - since_ > kWindow) {
      since_ = now;
      before_ = frames;
    }
    return frames - before_ > frames_max_;
  }

 private:
  rt::Time since_;
  std::uint64_t frames_max_;
  std::uint64_t before_ = 0;
};

}  // namespace berth::net
