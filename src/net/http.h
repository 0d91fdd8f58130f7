// Requests and responses, whichever version of HTTP carries them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::net {

// Names are lower case, as HTTP/2 wants them.
struct Header {
  std::string name;
  std::string value;

  bool operator==(const Header&) const = default;
};
using Headers = std::vector<Header>;

// The value of the first header of that name.
inline std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (header.name == name) {
      return header.value;
    }
  }
  return std::nullopt;
}

struct RequestHead {
  std::string method;     // "GET"
  std::string scheme;     // "https"
  std::string authority;  // "127.0.0.1:6443"
  std::string path;       // with the query
  Headers headers;
};

struct ResponseHead {
  int status = 0;
  Headers headers;
};

}  // namespace berth::net
