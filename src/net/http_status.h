// What HTTP/1.1 says beside the number of a status. Nobody reads it but people.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace berth::net {

inline constexpr std::array kReasons = std::to_array<std::pair<int, std::string_view>>({
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
});

constexpr std::string_view reason_of(int status) {
  for (const auto& [known, reason] : kReasons) {
    if (known == status) {
      return reason;
    }
  }
  return "Status";
}

}  // namespace berth::net
