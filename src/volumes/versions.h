// Which of two resourceVersions is newer. They are decimal integers of any length that grow with
// each write; one that is not a number can only be the same as another or not.
#pragma once

#include <string_view>

namespace berth::volumes {

// Whether who has seen `seen` has seen `version`. False when nothing is known.
bool has_seen(std::string_view seen, std::string_view version);

// Whether `a` is newer than `b` for sure.
bool is_newer(std::string_view a, std::string_view b);

}  // namespace berth::volumes
