// What a log record is made of: a constant message and fields of a constant key and a value. Keys
// and messages are checked by the compiler, so they cost nothing at run time.
//
// A value borrows the text it is made from and is gone at the end of the statement that logs it:
// do not store one.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/secret.h"

namespace berth {

inline constexpr std::size_t kLogKeyBytesMax = 40;

// A key is a lower-case word ("pod", "queue_len"); the words a record uses itself are taken.
constexpr bool is_log_key(std::string_view key) {
  if (key.empty() || key.size() > kLogKeyBytesMax || key.front() < 'a' || key.front() > 'z') {
    return false;
  }
  for (const char c : key) {
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_') {
      return false;
    }
  }
  return key != "time" && key != "level" && key != "msg" && key != "truncated";
}

// Messages are phrases: no period at the end, and what varies goes into fields.
constexpr bool is_log_message(std::string_view message) {
  return !message.empty() && message.back() != '.' && message.find('\n') == message.npos;
}

// Not defined: the compiler names them when a literal breaks the rule.
void log_key_must_be_a_free_lower_case_word();
void log_message_must_be_a_phrase_without_period();

class LogKey {
 public:
  consteval LogKey(const char* literal)  // NOLINT(google-explicit-constructor): {"pod", key}
      : text_(literal) {
    if (!is_log_key(text_)) {
      log_key_must_be_a_free_lower_case_word();
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class LogMessage {
 public:
  consteval LogMessage(const char* literal)  // NOLINT(google-explicit-constructor): info("bound")
      : text_(literal) {
    if (!is_log_message(text_)) {
      log_message_must_be_a_phrase_without_period();
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Integers that are numbers; char and bool are not.
template <typename Number>
concept LogInteger =
    std::integral<Number> && !std::same_as<Number, bool> && !std::same_as<Number, char> &&
    !std::same_as<Number, wchar_t> && !std::same_as<Number, char8_t> &&
    !std::same_as<Number, char16_t> && !std::same_as<Number, char32_t>;

class LogValue {
 public:
  struct Seconds {
    double count = 0;
  };
  using Any = std::variant<std::string_view, std::int64_t, std::uint64_t, bool, double, Seconds>;

  // All implicit, so that a field is written {"attempt", n}.
  // NOLINTBEGIN(google-explicit-constructor): see above
  template <std::convertible_to<std::string_view> Text>
  LogValue(const Text& text) : any_(std::string_view(text)) {}
  template <LogInteger Number>
  LogValue(Number number) : any_(widened(number)) {}
  template <std::same_as<bool> Truth>
  LogValue(Truth truth) : any_(truth) {}
  template <std::floating_point Number>
  LogValue(Number number) : any_(static_cast<double>(number)) {}
  template <typename Count, typename Unit>
  LogValue(std::chrono::duration<Count, Unit> duration)
      : any_(Seconds{std::chrono::duration<double>(duration).count()}) {}
  LogValue(const Secret& /*secret*/) : any_(kSecretMask) {}
  // NOLINTEND(google-explicit-constructor)

  const Any& any() const { return any_; }

 private:
  static std::int64_t widened(std::signed_integral auto number) { return number; }
  static std::uint64_t widened(std::unsigned_integral auto number) { return number; }

  Any any_;
};

struct LogField {
  LogKey key;
  LogValue value;
};

}  // namespace berth
