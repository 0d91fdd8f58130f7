// A connection within the process: what one end writes the other reads. For simulations and tests.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "net/byte_stream.h"
#include "rt/runtime.h"

namespace berth::net {

using StreamPair = std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>>;

// A writer waits while its peer has `capacity` bytes to read; at most `read_max` are read at once.
StreamPair make_stream_pair(rt::Runtime& runtime,
                            std::size_t capacity = 64 * 1024,
                            std::size_t read_max = ~std::size_t{0});

}  // namespace berth::net
