// Two directions of bytes between us and a peer: a socket, TLS over one, or a pipe in memory.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {

// One reader and one writer at a time, beside each other. After an error of either the stream is of
// no more use. Destroyed only when nobody reads or writes.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // Waits for some bytes and gives their number; 0 when the peer has sent its last.
  virtual rt::Task<Result<std::size_t>> read(std::span<char> buffer, rt::Until until) = 0;
  // Writes all of them. `bytes` stays as it is until then. A write that ends early leaves the peer
  // with half of something.
  virtual rt::Task<Result<void>> write(std::string_view bytes, rt::Until until) = 0;
  // Says that nothing more will be written, and the peer reads the end; it may go on writing. After
  // the last write.
  virtual rt::Task<Result<void>> end(rt::Until until) = 0;
  // From now on nothing is read or written; waits end with kUnavailable.
  virtual void close() = 0;
};

}  // namespace berth::net
