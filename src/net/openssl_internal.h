// What OpenSSL has to say about a failure, as an Error.
#pragma once

#include <openssl/err.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace berth::net {

// Takes everything from OpenSSL's queue of errors; the first says the most.
inline Error openssl_error(ErrorCode code, std::string_view where) {
  std::string text = "unknown error";
  if (const unsigned long first = ERR_get_error(); first != 0) {
    const char* reason = ERR_reason_error_string(first);
    text = reason != nullptr ? reason : "error " + std::to_string(first);
  }
  ERR_clear_error();
  return Error(code, std::move(text)).in(where);
}

}  // namespace berth::net
