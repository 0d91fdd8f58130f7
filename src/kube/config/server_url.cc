#include "kube/config/server_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"
#include "net/tcp.h"

namespace berth::kube::config {
namespace {

constexpr std::uint16_t kHttpsPort = 443;
constexpr std::uint16_t kHttpPort = 80;
constexpr std::size_t kUrlMax = 2048;

bool is_printable_ascii(char c) {
  return c > ' ' && c <= '~';
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool is_address_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' ||
         c == '.';
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && rest == end && port != 0 ? std::optional(port) : std::nullopt;
}

// "host", "host:port", "[::1]:port". False when it is none of them.
bool parse_authority(std::string_view text, net::Endpoint& endpoint) {
  std::size_t colon = text.find(':');
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) {
      return false;
    }
    endpoint.host = text.substr(1, bracket - 1);
    colon = bracket + 1 == text.size() ? std::string_view::npos : bracket + 1;
    if (endpoint.host.empty() || !std::ranges::all_of(endpoint.host, is_address_character) ||
        (colon != std::string_view::npos && text[colon] != ':')) {
      return false;
    }
  } else {
    endpoint.host = text.substr(0, colon);
    if (endpoint.host.empty() || !std::ranges::all_of(endpoint.host, is_host_character)) {
      return false;
    }
  }
  if (colon == std::string_view::npos) {
    return true;
  }
  const auto port = parse_port(text.substr(colon + 1));
  endpoint.port = port.value_or(0);
  return port.has_value();
}

Error no_url(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid,
          fmt::format("'{}' is no address of a server: {}; it should look like "
                      "https://host:6443",
                      api::shown(text),
                      why)};
}

}  // namespace

std::string ServerUrl::text() const {
  return fmt::format("{}://{}{}", is_tls ? "https" : "http", endpoint.text(), base_path);
}

bool ServerUrl::is_loopback() const {
  return endpoint.host == "localhost" || endpoint.host == "::1" ||
         (endpoint.host.starts_with("127.") &&
          endpoint.host.find_first_not_of("0123456789.") == std::string::npos);
}

Result<ServerUrl> parse_server_url(std::string_view text) {
  if (text.size() > kUrlMax || !std::ranges::all_of(text, is_printable_ascii)) {
    return no_url(text,
                  "it is too long, or has spaces or other characters that have no place there");
  }
  ServerUrl url;
  std::string_view rest = text;
  if (const std::size_t end = rest.find("://"); end != std::string_view::npos) {
    const std::string_view scheme = rest.substr(0, end);
    if (scheme != "https" && scheme != "http") {
      return no_url(text, "its scheme is neither https nor http");
    }
    url.is_tls = scheme == "https";
    rest.remove_prefix(end + 3);
  }
  if (rest.find_first_of("?#@") != std::string_view::npos) {
    return no_url(text, "it holds a user, a query or a fragment");
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (!parse_authority(rest.substr(0, slash), url.endpoint)) {
    return no_url(text, "host or port are missing or wrong");
  }
  if (url.endpoint.port == 0) {
    url.endpoint.port = url.is_tls ? kHttpsPort : kHttpPort;
  }
  rest.remove_prefix(slash);
  while (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  url.base_path = rest;
  return url;
}

}  // namespace berth::kube::config
