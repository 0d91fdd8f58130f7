// Counts the frames of HTTP/2 that cost us something and bring nobody anything: pings, settings,
// priorities, windows, kinds nobody knows, data without bytes. It reads the frames' heads itself,
// since nghttp2 does not tell of all of them.
//
// What is real work pays for some: who is sent an answer opens its windows meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::net {

class FrameCounter {
 public:
  // `preface`: bytes before the first frame.
  explicit FrameCounter(std::size_t preface) : skip_(preface) {}

  // What came from the peer. `paid`: so many idle frames are paid for so far.
  void see(std::string_view bytes, std::uint64_t paid) {
    while (!bytes.empty()) {
      if (skip_ > 0) {
        const std::size_t count = std::min(skip_, bytes.size());
        skip_ -= count;
        bytes.remove_prefix(count);
        continue;
      }
      head_[head_size_++] = static_cast<std::uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      if (head_size_ == head_.size()) {
        head_size_ = 0;
        skip_ = (std::size_t{head_[0]} << 16U) | (std::size_t{head_[1]} << 8U) | head_[2];
        count(paid);
      }
    }
  }

  // Beyond what is paid for.
  std::uint64_t idle() const { return idle_; }

 private:
  void count(std::uint64_t paid) {
    const std::uint8_t type = head_[3];
    constexpr std::uint8_t kEndStream = 1;
    const bool is_empty_data = type == kData && skip_ == 0 && (head_[4] & kEndStream) == 0;
    // Heads, what continues them, and resets have bounds of their own.
    const bool is_of_stream =
        type == kData || type == kHeaders || type == kResetStream || type == kContinuation;
    if (is_of_stream && !is_empty_data) {
      return;
    }
    ++(paid_ < paid ? paid_ : idle_);
  }

  static constexpr std::uint8_t kData = 0;
  static constexpr std::uint8_t kHeaders = 1;
  static constexpr std::uint8_t kResetStream = 3;
  static constexpr std::uint8_t kContinuation = 9;

  std::size_t skip_;  // bytes up to the next head
  std::array<std::uint8_t, 9> head_{};
  std::size_t head_size_ = 0;
  std::uint64_t paid_ = 0;
  std::uint64_t idle_ = 0;
};

}  // namespace berth::net
