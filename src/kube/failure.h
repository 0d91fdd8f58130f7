// Why we are not understood or not let in: the reasons (Error::reason) of errors of this room, for
// explain.h. Those of connections are in net/failure.h.
#pragma once

#include <string_view>

namespace berth::kube::failure {

// A page for people, or something else that no API server writes.
inline constexpr std::string_view kNotKubernetes = "NotKubernetes";
// The answer began, and ended in its midst.
inline constexpr std::string_view kAnswerCut = "AnswerCut";
// What we show could not be had: a token file, a certificate, an exec plugin. The text says all.
inline constexpr std::string_view kNoCredentials = "NoCredentials";

}  // namespace berth::kube::failure
