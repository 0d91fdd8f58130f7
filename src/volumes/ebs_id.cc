// The long form is a URL, read by Go's rules for URLs as far as they matter here: what stands
// behind
// "?" and "#" is cut off, the path is unescaped, and faults in host and path have Go's texts. Host
// names in brackets and user names before the host are taken as they are.
#include "volumes/ebs_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/rules/quoted.h"
#include "api/text.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::volumes {
namespace {

constexpr std::string_view kScheme = "aws://";
constexpr std::string_view kIdStart = "vol-";

std::optional<int> hex_value(char c) {
  if (api::is_digit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return std::nullopt;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_host_character(char c) {
  constexpr std::string_view kOthers = "-_.~!$&'()*+,;=:[]<>\"%@";
  return static_cast<unsigned char>(c) >= 0x80 || api::is_digit(c) || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || kOthers.find(c) != std::string_view::npos;
}

Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

Result<void> check_host(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !host.starts_with('[') &&
      !std::ranges::all_of(host.substr(colon + 1), api::is_digit)) {
    return invalid(fmt::format("invalid port {} after host", api::quoted(host.substr(colon))));
  }
  const auto bad = std::ranges::find_if_not(host, is_host_character);
  if (bad != host.end()) {
    return invalid(
        fmt::format("invalid character {} in host name", api::quoted(std::string_view(&*bad, 1))));
  }
  return {};
}

Result<std::string> unescaped(std::string_view path) {
  std::string plain;
  plain.reserve(path.size());
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] != '%') {
      plain.push_back(path[at]);
      continue;
    }
    const std::string_view escape = path.substr(at, 3);
    const std::optional<int> high = escape.size() == 3 ? hex_value(escape[1]) : std::nullopt;
    const std::optional<int> low = escape.size() == 3 ? hex_value(escape[2]) : std::nullopt;
    if (!high || !low) {
      return invalid("invalid URL escape " + api::quoted(escape));
    }
    plain.push_back(static_cast<char>(*high * 16 + *low));
    at += 2;
  }
  return plain;
}

Result<std::string> path_of(std::string_view url) {
  if (std::ranges::any_of(url, is_control)) {
    return invalid("net/url: invalid control character in URL");
  }
  const std::string_view rest = url.substr(kScheme.size(), url.find('?') - kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (const Result<void> host = check_host(rest.substr(0, slash)); !host) {
    return host.error();
  }
  return unescaped(rest.substr(slash));
}

std::string_view without_slashes(std::string_view path) {
  while (path.starts_with('/')) {
    path.remove_prefix(1);
  }
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return path;
}

}  // namespace

Result<std::string> ebs_id(std::string_view volume_id) {
  if (!volume_id.starts_with(kScheme)) {
    return std::string(volume_id);
  }
  const std::string_view url = volume_id.substr(0, volume_id.find('#'));
  const Result<std::string> path = path_of(url);
  if (!path) {
    return invalid(fmt::format(
        "Invalid disk name ({}): parse {}: {}", volume_id, api::quoted(url), path.error().text()));
  }
  const std::string_view id = without_slashes(*path);
  if (!id.starts_with(kIdStart) || id.find('/') != std::string_view::npos) {
    return invalid(fmt::format("Invalid format for AWS volume ({})", volume_id));
  }
  return std::string(id);
}

}  // namespace berth::volumes
