// The other end of a connection for tests, which says what it is told to and keeps what it hears.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/byte_stream.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::net::testing_support {

class RawPeer {
 public:
  enum class Reads : bool { kNever, kAlways };

  RawPeer(rt::Runtime& runtime, std::unique_ptr<ByteStream> stream, Reads reads = Reads::kAlways)
      : runtime_(runtime), stream_(std::move(stream)), scope_(runtime, "peer") {
    if (reads == Reads::kAlways) {
      scope_.spawn("reader", read());
    }
  }

  // From now on, after what it was told before.
  void say(std::string text) {
    to_say_ += text;
    if (!std::exchange(is_saying_, true)) {
      scope_.spawn("writer", write());
    }
  }
  // One byte after the other, with a pause between them.
  void trickle(std::string text, rt::Duration pause) {
    scope_.spawn("trickle", trickle_out(std::move(text), pause));
  }
  // The same again and again.
  void flood(std::string text) { scope_.spawn("flood", flood_out(std::move(text))); }
  void leave() { stream_->close(); }

  const std::string& heard() const { return heard_; }
  bool has_heard(std::string_view text) const { return heard_.find(text) != std::string::npos; }
  // The other end is gone, or has said its last.
  bool is_cut_off() const { return is_cut_off_; }
  std::size_t said() const { return said_; }

 private:
  rt::Task<void> read() {
    std::array<char, 5000> buffer{};
    while (true) {
      const auto count = co_await stream_->read(buffer, {});
      if (!count || *count == 0) {
        is_cut_off_ = true;
        co_return;
      }
      heard_.append(buffer.data(), *count);
    }
  }

  rt::Task<void> write() {
    while (!to_say_.empty()) {
      const std::string text = std::exchange(to_say_, {});
      const auto written = co_await stream_->write(text, {});
      if (!written) {
        is_cut_off_ = true;
        break;
      }
      said_ += text.size();
    }
    is_saying_ = false;
  }

  rt::Task<void> trickle_out(std::string text, rt::Duration pause) {
    for (std::size_t i = 0; i < text.size() && !is_cut_off_; ++i) {
      const std::string byte = text.substr(i, 1);
      const auto written = co_await stream_->write(byte, {});
      is_cut_off_ = is_cut_off_ || !written;
      co_await rt::sleep_for(runtime_, pause, rt::CancelToken());
    }
  }

  rt::Task<void> flood_out(std::string text) {
    while (!is_cut_off_) {
      const auto written = co_await stream_->write(text, {});
      is_cut_off_ = is_cut_off_ || !written;
      said_ += written ? text.size() : 0;
    }
  }

  rt::Runtime& runtime_;
  std::unique_ptr<ByteStream> stream_;
  std::string to_say_;
  bool is_saying_ = false;
  std::string heard_;
  bool is_cut_off_ = false;
  std::size_t said_ = 0;
  rt::Scope scope_;
};

// A frame of HTTP/2, right or wrong.
inline std::string frame(std::uint8_t type,
                         std::uint8_t flags,
                         std::uint32_t stream,
                         std::string_view payload) {
  std::string bytes;
  const auto number = [&bytes](std::size_t value, unsigned size) {
    while (size-- > 0) {
      bytes.push_back(static_cast<char>(value >> 8U * size));
    }
  };
  number(payload.size(), 3);
  number(type, 1);
  number(flags, 1);
  number(stream, 4);
  return bytes.append(payload);
}

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
inline constexpr std::uint8_t kData = 0;
inline constexpr std::uint8_t kHeaders = 1;
inline constexpr std::uint8_t kPriority = 2;
inline constexpr std::uint8_t kResetStream = 3;
inline constexpr std::uint8_t kSettings = 4;
inline constexpr std::uint8_t kPing = 6;
inline constexpr std::uint8_t kGoAway = 7;
inline constexpr std::uint8_t kWindowUpdate = 8;
inline constexpr std::uint8_t kContinuation = 9;
inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kEndHeaders = 4;
// ":method: GET", ":scheme: http", ":path: /" by their numbers in HPACK's table, ":authority: a".
inline constexpr std::string_view kGetBlock(
    "\x82\x86\x84\x01\x01"
    "a",
    6);
inline constexpr std::string_view kPostBlock(
    "\x83\x86\x84\x01\x01"
    "a",
    6);

inline std::string get(std::uint32_t stream) {
  return frame(kHeaders, kEndHeaders | kEndStream, stream, kGetBlock);
}
inline std::string post(std::uint32_t stream) {
  return frame(kHeaders, kEndHeaders, stream, kPostBlock);
}
// How a client of HTTP/2 begins.
inline std::string hello() {
  return std::string(kPreface) + frame(kSettings, 0, 0, "");
}

}  // namespace berth::net::testing_support
