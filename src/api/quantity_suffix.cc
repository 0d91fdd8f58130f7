#include "api/quantity_suffix.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "api/quantity.h"

namespace berth::api {

namespace {

std::optional<QuantitySuffix> find_decimal_suffix(char letter) {
  using enum Quantity::Format;
  switch (letter) {
    case 'n':
      return QuantitySuffix{kDecimalSI, -9};
    case 'u':
      return QuantitySuffix{kDecimalSI, -6};
    case 'm':
      return QuantitySuffix{kDecimalSI, -3};
    case 'k':
      return QuantitySuffix{kDecimalSI, 3};
    case 'M':
      return QuantitySuffix{kDecimalSI, 6};
    case 'G':
      return QuantitySuffix{kDecimalSI, 9};
    case 'T':
      return QuantitySuffix{kDecimalSI, 12};
    case 'P':
      return QuantitySuffix{kDecimalSI, 15};
    case 'E':
      return QuantitySuffix{kDecimalSI, 18};
    default:
      return std::nullopt;
  }
}

std::optional<QuantitySuffix> find_binary_suffix(char letter) {
  using enum Quantity::Format;
  switch (letter) {
    case 'K':
      return QuantitySuffix{kBinarySI, 10};
    case 'M':
      return QuantitySuffix{kBinarySI, 20};
    case 'G':
      return QuantitySuffix{kBinarySI, 30};
    case 'T':
      return QuantitySuffix{kBinarySI, 40};
    case 'P':
      return QuantitySuffix{kBinarySI, 50};
    case 'E':
      return QuantitySuffix{kBinarySI, 60};
    default:
      return std::nullopt;
  }
}

std::optional<QuantitySuffix> find_exponent(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  // std::from_chars knows no plus, and one before a minus is no sign.
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  std::int64_t exponent = 0;
  const auto [stopped, error] = std::from_chars(text.begin(), text.end(), exponent);
  if (error != std::errc{} || stopped != text.end()) {
    return std::nullopt;
  }
  return QuantitySuffix{Quantity::Format::kDecimalExponent, static_cast<std::int32_t>(exponent)};
}

}  // namespace

std::optional<QuantitySuffix> find_suffix(std::string_view text) {
  if (text.empty()) {
    return QuantitySuffix{};
  }
  if (text.size() == 1) {
    return find_decimal_suffix(text[0]);
  }
  if (text.size() == 2 && text[1] == 'i') {
    return find_binary_suffix(text[0]);
  }
  return find_exponent(text);
}

bool has_suffix_shape(std::string_view text) {
  std::size_t at = text.find_first_not_of("eEinumkKMGTP");
  if (at == std::string_view::npos) {
    return true;
  }
  if (text[at] == '+' || text[at] == '-') {
    ++at;
  }
  return text.find_first_not_of("0123456789", at) == std::string_view::npos;
}

std::string_view decimal_suffix(std::int64_t exponent) {
  static constexpr std::array<std::string_view, 10> kSuffixes{
      "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  if (exponent < -9 || exponent > 18) {
    return "";
  }
  return kSuffixes[static_cast<std::size_t>(exponent / 3 + 3)];
}

std::string_view binary_suffix(std::size_t power_of_1024) {
  static constexpr std::array<std::string_view, 7> kSuffixes{
      "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  return power_of_1024 < kSuffixes.size() ? kSuffixes[power_of_1024] : "";
}

}  // namespace berth::api
