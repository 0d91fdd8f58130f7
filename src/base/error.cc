#include "base/error.h"

#include <string>
#include <string_view>
#include <utility>

namespace berth {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kLimit:
      return "limit exceeded";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

Error Error::in(std::string_view where) && {
  std::string text;
  text.reserve(where.size() + 2 + text_.size());
  text.append(where).append(": ").append(text_);
  text_ = std::move(text);
  return std::move(*this);
}

}  // namespace berth
