// The text of deploy/crds/, made part of the program by cmake/crds.cmake so that it can be printed
// wherever the program runs.
#pragma once

#include <string_view>

namespace berth::cli {

// YAML, a document a definition.
std::string_view crds_text();

}  // namespace berth::cli
