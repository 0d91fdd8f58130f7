// An ordered map whose copy is a snapshot: O(1) to take, and immutable whatever the original does
// next.
//
// Entries stand in key order in chunks that copies share: a tree of two levels. The first change
// after a copy was taken copies the one chunk it touches and the list of chunks; while nobody else
// holds them, changes happen in place. Finding is a binary search; iteration is in key order, so it
// may decide something.
//
// One thread changes a map and takes copies of it; copies may be read and destroyed on any thread.
// Iterators and pointers to values hold until the map they came from is changed or goes away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/snapshot_vector.h"

namespace berth {

template <typename Key, typename Value, typename Less = std::less<>>
class SnapshotMap {
 public:
  struct Entry {
    Key key;
    Value value;
  };

 private:
  using Chunk = std::vector<Entry>;
  using List = std::vector<std::shared_ptr<Chunk>>;  // no chunk is empty

 public:
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    const Entry& operator*() const { return (*(*list_)[chunk_])[item_]; }
    const Entry* operator->() const { return &**this; }
    Iterator& operator++() {
      if (++item_ == (*list_)[chunk_]->size()) {
        ++chunk_;
        item_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const {
      return chunk_ == other.chunk_ && item_ == other.item_;
    }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) {
      return it.list_ == nullptr || it.chunk_ == it.list_->size();
    }

   private:
    friend class SnapshotMap;
    Iterator(const List* list, std::size_t chunk, std::size_t item)
        : list_(list), chunk_(chunk), item_(item) {}

    const List* list_ = nullptr;
    std::size_t chunk_ = 0;
    std::size_t item_ = 0;
  };

  SnapshotMap() = default;
  SnapshotMap(const SnapshotMap&) = default;
  SnapshotMap& operator=(const SnapshotMap&) = default;
  SnapshotMap(SnapshotMap&& other) noexcept
      : size_(std::exchange(other.size_, 0)), chunks_(std::move(other.chunks_)) {}
  SnapshotMap& operator=(SnapshotMap&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    chunks_ = std::move(other.chunks_);
    return *this;
  }
  ~SnapshotMap() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  Iterator begin() const { return Iterator(chunks_.get(), 0, 0); }
  std::default_sentinel_t end() const { return std::default_sentinel; }

  // The first entry whose key is not less than `key`.
  template <typename Sought>
  Iterator lower_bound(const Sought& key) const {
    if (empty()) {
      return begin();
    }
    const Place place = place_of(key);
    if (place.item == (*chunks_)[place.chunk]->size()) {
      return Iterator(chunks_.get(), place.chunk + 1, 0);
    }
    return Iterator(chunks_.get(), place.chunk, place.item);
  }

  // Null when there is none.
  template <typename Sought>
  const Value* find(const Sought& key) const {
    if (empty()) {
      return nullptr;
    }
    const Place place = place_of(key);
    return place.is_found ? &(*(*chunks_)[place.chunk])[place.item].value : nullptr;
  }

  // The greatest entry. The map is not empty.
  const Entry& back() const { return chunks_->back()->back(); }

  // To be changed at once, not kept; made if there is none.
  Value& edit(Key key) {
    own_list();
    if (chunks_->empty()) {
      chunks_->push_back(std::make_shared<Chunk>());
      ++size_;
      return chunks_->front()->emplace_back(Entry{std::move(key), Value()}).value;
    }
    const Place place = place_of(key);
    Chunk& chunk = own_chunk(place.chunk);
    const auto position = chunk.begin() + static_cast<std::ptrdiff_t>(place.item);
    if (place.is_found) {
      return position->value;
    }
    ++size_;
    Value& made = chunk.insert(position, Entry{std::move(key), Value()})->value;
    return chunk.size() <= kChunkMax ? made : split(place.chunk, place.item);
  }

  // Inserts or replaces.
  void set(Key key, Value value) { edit(std::move(key)) = std::move(value); }

  // False when there was none.
  template <typename Sought>
  bool erase(const Sought& key) {
    if (empty()) {
      return false;
    }
    const Place place = place_of(key);
    if (!place.is_found) {
      return false;
    }
    own_list();
    Chunk& chunk = own_chunk(place.chunk);
    chunk.erase(chunk.begin() + static_cast<std::ptrdiff_t>(place.item));
    --size_;
    mend_after_erase(place.chunk);
    return true;
  }

 private:
  static constexpr std::size_t kChunkMax = 64;

  struct Place {
    std::size_t chunk = 0;
    std::size_t item = 0;  // where it is or would be
    bool is_found = false;
  };

  template <typename Sought>
  Place place_of(const Sought& key) const {
    // The last chunk that does not begin after the key.
    const auto after = std::upper_bound(
        chunks_->begin() + 1, chunks_->end(), key, [this](const Sought& sought, const auto& chunk) {
          return less_(sought, chunk->front().key);
        });
    const auto chunk = static_cast<std::size_t>(after - chunks_->begin()) - 1;
    const Chunk& items = *(*chunks_)[chunk];
    const auto item = std::lower_bound(
        items.begin(), items.end(), key, [this](const Entry& entry, const Sought& sought) {
          return less_(entry.key, sought);
        });
    return {.chunk = chunk,
            .item = static_cast<std::size_t>(item - items.begin()),
            .is_found = item != items.end() && !less_(key, item->key)};
  }

  void own_list() {
    if (!chunks_) {
      chunks_ = std::make_shared<List>();
    } else if (!is_held_once(chunks_)) {
      chunks_ = std::make_shared<List>(*chunks_);
    }
  }

  Chunk& own_chunk(std::size_t index) {
    std::shared_ptr<Chunk>& chunk = (*chunks_)[index];
    if (!is_held_once(chunk)) {
      chunk = std::make_shared<Chunk>(*chunk);
    }
    return *chunk;
  }

  // Moves the upper half of a chunk that is too large into a new one. Returns the value that was
  // `item` of it.
  Value& split(std::size_t index, std::size_t item) {
    Chunk& lower = *(*chunks_)[index];
    const std::size_t half = lower.size() / 2;
    const auto middle = lower.begin() + static_cast<std::ptrdiff_t>(half);
    auto upper = std::make_shared<Chunk>(std::make_move_iterator(middle),
                                         std::make_move_iterator(lower.end()));
    lower.erase(middle, lower.end());
    Value& value = item < half ? lower[item].value : (*upper)[item - half].value;
    chunks_->insert(chunks_->begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
    return value;
  }

  // No chunk is empty, and a small one joins its neighbour where both fit into half a chunk.
  void mend_after_erase(std::size_t index) {
    const auto at = [this](std::size_t i) {
      return chunks_->begin() + static_cast<std::ptrdiff_t>(i);
    };
    if ((*chunks_)[index]->empty()) {
      chunks_->erase(at(index));
      return;
    }
    const std::size_t left = index + 1 < chunks_->size() ? index : index - 1;
    if (index + 1 >= chunks_->size() && index == 0) {
      return;
    }
    if ((*chunks_)[left]->size() + (*chunks_)[left + 1]->size() > kChunkMax / 2) {
      return;
    }
    Chunk& into = own_chunk(left);
    const Chunk& from = *(*chunks_)[left + 1];
    into.insert(into.end(), from.begin(), from.end());
    chunks_->erase(at(left + 1));
  }

  std::size_t size_ = 0;
  std::shared_ptr<List> chunks_;  // null or empty while empty
  [[no_unique_address]] Less less_;
};

}  // namespace berth
