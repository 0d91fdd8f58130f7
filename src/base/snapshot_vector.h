// A vector whose copy is a snapshot: O(1) to take, and immutable whatever the original does next.
//
// Elements live in chunks that copies share. The first change after a copy was taken copies the one
// chunk it touches and the list of chunks; while nobody else holds them, changes happen in place.
// One thread changes a vector and takes copies of it; copies may be read and destroyed on any
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace berth {

// Whether nobody but the caller holds what `pointer` points at, so that it may be changed. The
// fence orders what a holder on another thread read before it let go before what the caller writes.
template <typename Held>
bool is_held_once(const std::shared_ptr<Held>& pointer) {
  if (pointer.use_count() != 1) {
    return false;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

template <typename Value>
class SnapshotVector {
 public:
  SnapshotVector() = default;
  SnapshotVector(const SnapshotVector&) = default;
  SnapshotVector& operator=(const SnapshotVector&) = default;
  SnapshotVector(SnapshotVector&& other) noexcept
      : size_(std::exchange(other.size_, 0)), chunks_(std::move(other.chunks_)) {}
  SnapshotVector& operator=(SnapshotVector&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    chunks_ = std::move(other.chunks_);
    return *this;
  }
  ~SnapshotVector() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const Value& operator[](std::size_t index) const {
    BERTH_ASSERT(index < size_, "an index is below the size of its vector");
    return (*(*chunks_)[index / kChunk])[index % kChunk];
  }

  // To be changed at once, not kept: the next copy shares it.
  Value& edit(std::size_t index) {
    BERTH_ASSERT(index < size_, "an index is below the size of its vector");
    own_list();
    std::shared_ptr<Chunk>& chunk = (*chunks_)[index / kChunk];
    if (!is_held_once(chunk)) {
      chunk = std::make_shared<Chunk>(*chunk);
    }
    return (*chunk)[index % kChunk];
  }

  // Returns the index of the new element.
  std::size_t push_back(Value value) {
    own_list();
    if (size_ == chunks_->size() * kChunk) {
      chunks_->push_back(std::make_shared<Chunk>());
    }
    const std::size_t index = size_++;
    edit(index) = std::move(value);
    return index;
  }

 private:
  static constexpr std::size_t kChunk = 64;
  using Chunk = std::array<Value, kChunk>;
  using List = std::vector<std::shared_ptr<Chunk>>;

  void own_list() {
    if (!chunks_) {
      chunks_ = std::make_shared<List>();
    } else if (!is_held_once(chunks_)) {
      chunks_ = std::make_shared<List>(*chunks_);
    }
  }

  std::size_t size_ = 0;
  std::shared_ptr<List> chunks_;  // null while empty
};

}  // namespace berth
