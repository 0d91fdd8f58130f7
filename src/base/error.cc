#include "base/error.h"

#include <chrono>
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
    case ErrorCode::kExists:
      return "already exists";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kGone:
      return "gone";
    case ErrorCode::kForbidden:
      return "forbidden";
    case ErrorCode::kUnauthorized:
      return "unauthorized";
    case ErrorCode::kTooManyRequests:
      return "too many requests";
    case ErrorCode::kServerError:
      return "server error";
    case ErrorCode::kUnknownOutcome:
      return "unknown outcome";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kCancelled:
      return "cancelled";
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

Error Error::with_reason(std::string_view reason) && {
  reason_ = reason;
  return std::move(*this);
}

Error Error::with_retry_after(std::chrono::milliseconds delay) && {
  retry_after_ = delay;
  return std::move(*this);
}

}  // namespace berth
