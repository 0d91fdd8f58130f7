#include "api/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace berth::api {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotInAlphabet = 0xff;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNotInAlphabet);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}

constexpr auto kDigits = make_digits();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8U | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? kAlphabet[bits >> (18U - 6U * i) & 0x3fU] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') {
      continue;
    }
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNotInAlphabet || padding > 0) {
      return std::nullopt;
    }
    bits = bits << 6U | digit;
    ++digits;
    // Digits 2, 3 and 4 of a group complete a byte each, with 4, 2 and 0 bits left over.
    if (const auto place = static_cast<unsigned>(digits % 4); place != 1) {
      const unsigned left_over = place == 0 ? 0U : 8U - 2U * place;
      bytes += static_cast<char>(bits >> left_over & 0xffU);
    }
  }
  const bool is_complete = (digits + padding) % 4 == 0 && padding <= 2 && digits % 4 != 1;
  return is_complete ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace berth::api
