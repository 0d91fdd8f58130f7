// The error of a wait that did not bring what it waited for.
#pragma once

#include "base/error.h"
#include "rt/reactor.h"

namespace berth::net {

inline Error error_of(rt::Wake wake) {
  return wake == rt::Wake::kDeadline ? Error(ErrorCode::kTimeout, "timed out")
                                     : Error(ErrorCode::kCancelled, "cancelled");
}

}  // namespace berth::net
