// The parts of explanations that are for people: sizes, and what a node would have to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "api/members.h"
#include "api/quantity.h"
#include "volumes/reach.h"

namespace berth::volumes {

// "10Gi", "99.9Gi", "17": as short as it can be read.
std::string size_text(std::int64_t bytes);
// As it was written, unless that is long.
std::string size_text(const api::Quantity& quantity);

// "2 volumes", "1 volume".
std::string count_text(std::size_t count, const char* noun);

// Of a node that is not reached, what is asked for and what it has: "kubernetes.io/hostname in [a]
// (here: b)". Of several ways the closest first.
std::string mismatch_text(const Reach& reach, const api::StringMap& labels);

}  // namespace berth::volumes
