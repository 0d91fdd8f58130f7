// A number or a percentage or name, as in `maxUnavailable: 1` and `maxUnavailable: 25%`.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace berth::api {

using IntOrString = std::variant<std::int32_t, std::string>;

}  // namespace berth::api
