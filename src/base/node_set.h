// A set of nodes, as bits over a dense numbering of nodes: bit i says whether node number i is in.
//
// The size is the number of nodes of the numbering, not of members. Operations on two sets need
// sets of one size, and an index is below the size: anything else means that two numberings were
// mixed up, and aborts. When nodes join the numbering, resize() makes room for them.
//
//   NodeSet candidates = NodeSet::full(numbering.size());
//   candidates &= has_capacity;
//   candidates.subtract(tainted);
//   for (const std::size_t node : candidates) { ... }
//
// Whole-set operations cost one pass over size / 64 words and allocate nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "base/assert.h"

namespace berth {

class NodeSet {
 public:
  class Iterator;

  NodeSet() = default;
  // The empty set over `size` nodes.
  explicit NodeSet(std::size_t size) : size_(size), words_(words_for(size), 0) {}
  // The set of all `size` nodes.
  static NodeSet full(std::size_t size);

  std::size_t size() const { return size_; }
  // New nodes are not members; nodes beyond a smaller size are forgotten.
  void resize(std::size_t size);

  bool test(std::size_t node) const {
    BERTH_ASSERT(node < size_, "a node's number is below the size of its numbering");
    return (words_.data()[node / kWordBits] & bit(node)) != 0;
  }
  void set(std::size_t node) {
    BERTH_ASSERT(node < size_, "a node's number is below the size of its numbering");
    words_.data()[node / kWordBits] |= bit(node);
  }
  void reset(std::size_t node) {
    BERTH_ASSERT(node < size_, "a node's number is below the size of its numbering");
    words_.data()[node / kWordBits] &= ~bit(node);
  }

  NodeSet& operator&=(const NodeSet& other);
  NodeSet& operator|=(const NodeSet& other);
  // Takes the members of `other` out: and-not.
  NodeSet& subtract(const NodeSet& other);

  std::size_t count() const;
  bool any() const;
  bool none() const { return !any(); }

  // The number of members both have, without making their intersection.
  std::size_t count_common(const NodeSet& other) const;
  bool intersects(const NodeSet& other) const;
  bool is_subset_of(const NodeSet& other) const;
  friend bool operator==(const NodeSet& a, const NodeSet& b);

  // The lowest member; the lowest member from `node` on (itself included); the lowest after it.
  // `node` may be any number.
  std::optional<std::size_t> find_first() const { return find_from(0); }
  std::optional<std::size_t> find_from(std::size_t node) const;
  std::optional<std::size_t> find_next(std::size_t node) const;

  // Calls `visit(std::size_t node)` for every member in ascending order. `visit` must not change
  // this set.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (Word word = words_.data()[i]; word != 0; word &= word - 1) {
        visit(i * kWordBits + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

  // Members in ascending order. The set must not change or go away meanwhile.
  Iterator begin() const;
  std::default_sentinel_t end() const { return std::default_sentinel; }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kWordBits = 64;

  static constexpr std::size_t words_for(std::size_t size) {
    return size / kWordBits + (size % kWordBits != 0 ? 1 : 0);
  }
  static constexpr Word bit(std::size_t node) { return Word{1} << (node % kWordBits); }
  void clear_unused_bits();

  // Invariant: words_ has words_for(size_) words and the bits of the last one from size_ on are
  // zero. Counting, comparing and iterating rely on it.
  std::size_t size_ = 0;
  std::vector<Word> words_;
};

class NodeSet::Iterator {
 public:
  using value_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  explicit Iterator(const std::vector<Word>& words)
      : next_word_(words.data()), end_(words.data() + words.size()) {
    skip_empty_words();
  }

  std::size_t operator*() const {
    return base_ + static_cast<std::size_t>(std::countr_zero(word_));
  }
  Iterator& operator++() {
    word_ &= word_ - 1;
    skip_empty_words();
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }

  bool operator==(const Iterator&) const = default;
  friend bool operator==(const Iterator& it, std::default_sentinel_t) { return it.word_ == 0; }

 private:
  void skip_empty_words() {
    while (word_ == 0 && next_word_ != end_) {
      word_ = *next_word_++;
      base_ += kWordBits;
    }
  }

  Word word_ = 0;                     // what is left of the current word; zero at the end
  std::size_t base_ = 0 - kWordBits;  // the number of the current word's first node
  const Word* next_word_ = nullptr;
  const Word* end_ = nullptr;
};

inline NodeSet::Iterator NodeSet::begin() const {
  return Iterator(words_);
}

}  // namespace berth
