// Lists inside of labels and annotations.
#pragma once

#include <string_view>
#include <vector>

namespace berth::volumes {

// Between the zones of a label that names several.
inline constexpr std::string_view kZoneSeparator = "__";

// At least one part, which may be empty. The parts point into `text`.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

}  // namespace berth::volumes
