#include "app/binder/bind_address.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"
#include "net/tcp.h"
#include "rt/real/real_runtime.h"

namespace berth::app {
namespace {

Error not_an_address(const std::string& text) {
  return Error(ErrorCode::kInvalid,
               fmt::format("'{}' is no address to listen on; expected :PORT, ADDRESS:PORT, "
                           "[ADDRESS]:PORT or 0 for none",
                           api::shown(text)));
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && rest == end && !text.empty() ? std::optional(port) : std::nullopt;
}

}  // namespace

Result<std::optional<net::Endpoint>> parse_bind_address(const std::string& text) {
  if (text == "0") {
    return std::optional<net::Endpoint>();
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return not_an_address(text);
  }
  const auto port = parse_port(std::string_view(text).substr(colon + 1));
  std::string host = text.substr(0, colon);
  const bool is_bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  if (!port || (!is_bracketed && host.find(':') != std::string::npos)) {
    return not_an_address(text);
  }
  return std::optional(net::Endpoint{.host = std::move(host), .port = *port});
}

Result<std::unique_ptr<net::TcpListener>> listen_on(rt::RealRuntime& runtime,
                                                    const net::Endpoint& endpoint,
                                                    const std::string& flag) {
  // "::" takes both kinds of addresses, where the machine has both.
  auto listener = net::TcpListener::open(
      runtime, {.host = endpoint.host.empty() ? "::" : endpoint.host, .port = endpoint.port});
  if (!listener && endpoint.host.empty()) {
    listener = net::TcpListener::open(runtime, {.host = "0.0.0.0", .port = endpoint.port});
  }
  if (!listener) {
    return Error(
        listener.error().code(),
        fmt::format("{}; --{} chooses another address, 0 none", listener.error().text(), flag));
  }
  return listener;
}

}  // namespace berth::app
