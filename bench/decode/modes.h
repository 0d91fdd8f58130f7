// The decoders that decode_bench can measure, by name.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::bench {

// Decodes the whole input, holds all that came of it, frees that, and says how many pods it was.
using Work = std::function<Result<std::size_t>()>;

struct Mode {
  std::string_view name;
  // Turns the file, a list of pods, into the input the decoder reads. This part is not measured.
  // The file must outlive the work.
  Result<Work> (*prepare)(const std::string& file);
};

// Berth's readers: ENCODING-list reads the list, ENCODING-each every pod as a document of its own,
// as a watch brings them. "-cached" reads only what a scheduler's cache keeps.
std::span<const Mode> berth_modes();

// Other JSON libraries, each making its own tree of the list. None of them goes on to fill structs
// from the tree, which a program would have to do; the comparison favours them by that much.
std::span<const Mode> peer_modes();

}  // namespace berth::bench
