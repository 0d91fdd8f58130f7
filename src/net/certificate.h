// What a certificate says of itself.
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace berth::net {

// Until when the first certificate of a PEM text is valid.
Result<std::chrono::sys_seconds> end_of_certificate(std::string_view pem);

}  // namespace berth::net
