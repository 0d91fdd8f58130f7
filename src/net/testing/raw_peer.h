// The other end of a connection for tests, which says what it is told to and keeps what it hears.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/byte_stream.h"
#include "rt/cancel.h"
#include "rt/event.h"
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
      : runtime_(runtime),
        stream_(std::move(stream)),
        has_words_(runtime, "something to say"),
        scope_(runtime, "peer") {
    scope_.spawn("writer", write());
    if (reads == Reads::kAlways) {
      scope_.spawn("reader", read());
    }
  }

  // Each begins when the one before has been said.
  void say(std::string text) { add({.text = std::move(text)}); }
  // One byte after the other, with a pause behind each.
  void trickle(std::string text, rt::Duration pause) {
    add({.text = std::move(text), .pause = pause});
  }
  // The same again and again, until it is cut off.
  void flood(std::string text) { add({.text = std::move(text), .is_endless = true}); }
  void leave() { stream_->close(); }

  const std::string& heard() const { return heard_; }
  bool has_heard(std::string_view text) const { return heard_.find(text) != std::string::npos; }
  // The other end is gone, or has said its last.
  bool is_cut_off() const { return is_cut_off_; }
  std::size_t said() const { return said_; }

 private:
  struct Words {
    std::string text = {};
    rt::Duration pause = {};
    bool is_endless = false;
  };

  void add(Words words) {
    words_.push_back(std::move(words));
    has_words_.set();
  }

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
    while (true) {
      if (words_.empty()) {
        has_words_.reset();
        co_await has_words_.wait({});
        continue;
      }
      const Words words = std::move(words_.front());
      words_.pop_front();
      do {
        co_await write_one(&words);
      } while (words.is_endless && !is_cut_off_);
    }
  }

  rt::Task<void> write_one(const Words* words) {
    const std::size_t step = words->pause > rt::Duration{} ? 1 : words->text.size();
    for (std::size_t at = 0; at < words->text.size() && !is_cut_off_; at += step) {
      const std::string piece = words->text.substr(at, step);
      const auto written = co_await stream_->write(piece, {});
      is_cut_off_ = is_cut_off_ || !written;
      said_ += written ? piece.size() : 0;
      if (words->pause > rt::Duration{}) {
        co_await rt::sleep_for(runtime_, words->pause, rt::CancelToken());
      }
    }
  }

  rt::Runtime& runtime_;
  std::unique_ptr<ByteStream> stream_;
  std::deque<Words> words_;
  std::string heard_;
  bool is_cut_off_ = false;
  std::size_t said_ = 0;
  rt::Event has_words_;
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
inline constexpr std::uint8_t kUnknown = 0x77;  // of no kind that there is
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
