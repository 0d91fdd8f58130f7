// Fork-join passes over data that does not change meanwhile: every node of a snapshot, say.
#pragma once

#include <cstddef>
#include <functional>

namespace berth::rt {

class Pool {
 public:
  // Handles the indexes [begin, end).
  using Pass = std::function<void(std::size_t begin, std::size_t end)>;

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  virtual ~Pool() = default;

  // Calls `pass` until all of [0, count) is handled, each index once, and returns then. Pieces are
  // at most `chunk` long. `pass` may run on several threads at once and touches only what is its
  // own; it must not depend on how the range was cut.
  virtual void for_each(std::size_t count, std::size_t chunk, const Pass& pass) = 0;
};

// On the calling thread, piece by piece.
class SerialPool final : public Pool {
 public:
  void for_each(std::size_t count, std::size_t chunk, const Pass& pass) override;
};

}  // namespace berth::rt
