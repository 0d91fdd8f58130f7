#include "api/rules/label_syntax.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace berth::api {
namespace {

constexpr std::size_t kNameLenMax = 63;
constexpr std::size_t kSubdomainLenMax = 253;

// Upstream's words, which quote the patterns; the code below decides without them.
constexpr std::string_view kNameFault =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueFault =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', "
    " or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kSubdomainFault =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

// Of any length.
bool is_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(
             text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Of any length.
bool is_subdomain(std::string_view text) {
  char before = '.';
  for (const char c : text) {
    const bool is_fine = is_lower_or_digit(c) || (c == '-' && before != '.') ||
                         (c == '.' && is_lower_or_digit(before));
    if (!is_fine) {
      return false;
    }
    before = c;
  }
  return is_lower_or_digit(before);
}

std::string too_long(std::size_t length_max) {
  return "must be no more than " + std::to_string(length_max) + " bytes";
}

void append_fault(std::string& faults, std::string_view part, std::string_view fault) {
  if (!faults.empty()) {
    faults += "; ";
  }
  faults += part;
  faults += fault;
}

}  // namespace

bool is_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) {
    return key.size() <= kNameLenMax && is_name(key);
  }
  const std::string_view name = key.substr(slash + 1);
  return slash <= kSubdomainLenMax && is_subdomain(key.substr(0, slash)) &&
         name.size() <= kNameLenMax && is_name(name);
}

bool is_label_value(std::string_view value) {
  return value.empty() || (value.size() <= kNameLenMax && is_name(value));
}

std::string label_key_faults(std::string_view key) {
  constexpr std::string_view kPrefixPart = "prefix part ";
  constexpr std::string_view kNamePart = "name part ";
  constexpr std::string_view kEmpty = "must be non-empty";

  std::string faults;
  const std::size_t slash = key.find('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  if (name.find('/') != std::string_view::npos) {
    append_fault(faults, "a valid label key ", kNameFault);
    return faults + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
  }
  if (slash == 0) {
    append_fault(faults, kPrefixPart, kEmpty);
  } else if (slash != std::string_view::npos) {
    if (slash > kSubdomainLenMax) {
      append_fault(faults, kPrefixPart, too_long(kSubdomainLenMax));
    }
    if (!is_subdomain(key.substr(0, slash))) {
      append_fault(faults, kPrefixPart, kSubdomainFault);
    }
  }
  if (name.empty()) {
    append_fault(faults, kNamePart, kEmpty);
  } else if (name.size() > kNameLenMax) {
    append_fault(faults, kNamePart, too_long(kNameLenMax));
  }
  if (!is_name(name)) {
    append_fault(faults, kNamePart, kNameFault);
  }
  return faults;
}

std::string label_value_faults(std::string_view value) {
  std::string faults;
  if (value.size() > kNameLenMax) {
    append_fault(faults, "", too_long(kNameLenMax));
  }
  if (!value.empty() && !is_name(value)) {
    append_fault(faults, "", kValueFault);
  }
  return faults;
}

}  // namespace berth::api
