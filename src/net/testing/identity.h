// Certificates for tests, made on the spot.
#pragma once

#include <chrono>
#include <string>

#include "net/tls.h"

namespace berth::net::testing_support {

// A certificate that signs itself, for these names ("DNS:localhost,IP:127.0.0.1").
Identity self_signed(const std::string& names,
                     std::chrono::seconds valid_for = std::chrono::hours(1));

}  // namespace berth::net::testing_support
