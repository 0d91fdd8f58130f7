// Names that look like a slip of the pen for another one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth::kube::config {

// Which of `known` was probably meant by `name`, which is none of them; empty when none is near.
// Near is: the same but for capitals, dashes and underscores, or a letter or two too many, missing
// or wrong. Names of up to three letters are near to nothing.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace berth::kube::config
