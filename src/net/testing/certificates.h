// Certificates for tests, made anew each time.
#pragma once

#include <chrono>
#include <string>

#include "net/tls.h"

namespace berth::net::testing_support {

// A certificate that signs itself, for these names ("DNS:localhost,IP:127.0.0.1"). It is valid
// since a quarter of an hour ago; one for a negative time has expired.
Identity self_signed(const std::string& names,
                     std::chrono::seconds valid_for = std::chrono::hours(1));

}  // namespace berth::net::testing_support
