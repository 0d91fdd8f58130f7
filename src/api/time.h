// Points in time as Kubernetes writes them (RFC 3339).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

// metav1.Time: whole seconds; a fraction is accepted when read and dropped, as it is upstream by
// the next write.
using Time = std::chrono::sys_seconds;
// metav1.MicroTime: whole microseconds.
using MicroTime = std::chrono::sys_time<std::chrono::microseconds>;

// Years 0000 to 9999 can be written; nothing else can be read.
inline constexpr Time kTimeMin{std::chrono::seconds{-62'167'219'200}};
inline constexpr Time kTimeMax{std::chrono::seconds{253'402'300'799}};

// "2006-01-02T15:04:05Z"
std::string to_text(Time time);
// "2006-01-02T15:04:05.000000Z"
std::string to_text(MicroTime time);

// Accepts any offset from UTC and any number of digits behind the point.
Result<MicroTime> parse_time(std::string_view text);

}  // namespace berth::api
