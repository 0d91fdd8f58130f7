#include "world/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/objects/workload.h"
#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"
#include "rt/random.h"
#include "world/kind_rules.h"

namespace berth::world {
namespace {

constexpr std::size_t kSubdomainLenMax = 253;
constexpr std::size_t kLabelLenMax = 63;
constexpr std::size_t kGeneratedLen = 5;
constexpr std::string_view kGeneratedFrom = "bcdfghjklmnpqrstvwxz2456789";

bool is_alphanumeric(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char byte) {
           return is_alphanumeric(byte) || byte == '-';
         });
}

bool is_dns_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

Result<void> check_name(const KindRules& rules, std::string_view name) {
  // Namespaces become part of host names, of which a label is one part.
  const bool is_label = rules.is(api::Namespace::kKind);
  const std::size_t len_max = is_label ? kLabelLenMax : kSubdomainLenMax;
  if (name.size() <= len_max && (is_label ? is_dns_label(name) : is_dns_subdomain(name))) {
    return {};
  }
  return Error(
      ErrorCode::kInvalid,
      fmt::format("metadata.name: Invalid value: {}: a name consists of at most {} lower case "
                  "alphanumeric characters, '-'{} and starts and ends with an alphanumeric one",
                  api::quoted(name.substr(0, kSubdomainLenMax)),
                  len_max,
                  is_label ? "," : " or '.',"));
}

std::string generated_name(std::string_view prefix, rt::Random& random) {
  std::string name(prefix.substr(0, kLabelLenMax - kGeneratedLen));
  for (std::size_t i = 0; i < kGeneratedLen; ++i) {
    name += kGeneratedFrom[random.below(kGeneratedFrom.size())];
  }
  return name;
}

std::string new_uid(rt::Random& random) {
  const std::uint64_t high = (random.next() & ~0xf000ULL) | 0x4000ULL;
  const std::uint64_t low = (random.next() & ~(3ULL << 62U)) | (2ULL << 62U);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                     high >> 32U,
                     (high >> 16U) & 0xffffU,
                     high & 0xffffU,
                     low >> 48U,
                     low & 0xffff'ffff'ffffULL);
}

}  // namespace berth::world
