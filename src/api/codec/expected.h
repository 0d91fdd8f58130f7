// What a document must say it is.
#pragma once

#include <string>

namespace berth::api::codec {

// An empty text asks for nothing and is not written.
struct Expected {
  std::string api_version;
  std::string kind;
  // What the items of a list are. They may leave out what they are.
  std::string item_kind = {};
};

}  // namespace berth::api::codec
