// What a document must say it is.
#pragma once

#include <string>

namespace berth::api::codec {

// An empty text asks for nothing and is not written.
struct Expected {
  std::string api_version;
  std::string kind;
};

}  // namespace berth::api::codec
