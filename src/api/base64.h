// Base64 (RFC 4648, with padding), as Kubernetes writes binary data in JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::api {

std::string to_base64(std::string_view bytes);
// Nothing unless `text` is complete, padded base64; line breaks are skipped, as Go does.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace berth::api
