// The loops run over raw words because the compiler turns exactly this form into vector code.
// Those that may stop early look at a block of words at a time for the same reason.
#include "base/node_set.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/assert.h"

namespace berth {

namespace {

constexpr std::size_t kBlockWords = 8;

// Whether `word_at(i)` is nonzero for some i below `count`.
template <typename WordAt>
bool any_word(std::size_t count, const WordAt& word_at) {
  std::size_t i = 0;
  for (; i + kBlockWords <= count; i += kBlockWords) {
    std::uint64_t seen = 0;
    for (std::size_t j = 0; j < kBlockWords; ++j) {
      seen |= word_at(i + j);
    }
    if (seen != 0) {
      return true;
    }
  }
  for (; i < count; ++i) {
    if (word_at(i) != 0) {
      return true;
    }
  }
  return false;
}

void assert_same_size(const NodeSet& a, const NodeSet& b) {
  BERTH_ASSERT(a.size() == b.size(), "sets that are combined belong to one numbering");
}

}  // namespace

NodeSet NodeSet::full(std::size_t size) {
  NodeSet set(size);
  std::fill(set.words_.begin(), set.words_.end(), ~Word{0});
  set.clear_unused_bits();
  return set;
}

void NodeSet::resize(std::size_t size) {
  words_.resize(words_for(size), 0);
  size_ = size;
  clear_unused_bits();
}

void NodeSet::clear_unused_bits() {
  if (size_ % kWordBits != 0) {
    words_.back() &= bit(size_) - 1;
  }
}

NodeSet& NodeSet::operator&=(const NodeSet& other) {
  assert_same_size(*this, other);
  Word* const mine = words_.data();
  const Word* const theirs = other.words_.data();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    mine[i] &= theirs[i];
  }
  return *this;
}

NodeSet& NodeSet::operator|=(const NodeSet& other) {
  assert_same_size(*this, other);
  Word* const mine = words_.data();
  const Word* const theirs = other.words_.data();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    mine[i] |= theirs[i];
  }
  return *this;
}

NodeSet& NodeSet::subtract(const NodeSet& other) {
  assert_same_size(*this, other);
  Word* const mine = words_.data();
  const Word* const theirs = other.words_.data();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    mine[i] &= ~theirs[i];
  }
  return *this;
}

std::size_t NodeSet::count() const {
  const Word* const mine = words_.data();
  std::size_t members = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    members += static_cast<std::size_t>(std::popcount(mine[i]));
  }
  return members;
}

std::size_t NodeSet::count_common(const NodeSet& other) const {
  assert_same_size(*this, other);
  const Word* const mine = words_.data();
  const Word* const theirs = other.words_.data();
  std::size_t members = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    members += static_cast<std::size_t>(std::popcount(mine[i] & theirs[i]));
  }
  return members;
}

bool NodeSet::any() const {
  const Word* const mine = words_.data();
  return any_word(words_.size(), [mine](std::size_t i) { return mine[i]; });
}

bool NodeSet::intersects(const NodeSet& other) const {
  assert_same_size(*this, other);
  const Word* const mine = words_.data();
  const Word* const theirs = other.words_.data();
  return any_word(words_.size(), [=](std::size_t i) { return mine[i] & theirs[i]; });
}

bool NodeSet::is_subset_of(const NodeSet& other) const {
  assert_same_size(*this, other);
  const Word* const mine = words_.data();
  const Word* const theirs = other.words_.data();
  return !any_word(words_.size(), [=](std::size_t i) { return mine[i] & ~theirs[i]; });
}

bool operator==(const NodeSet& a, const NodeSet& b) {
  assert_same_size(a, b);
  return a.words_ == b.words_;
}

std::optional<std::size_t> NodeSet::find_from(std::size_t node) const {
  if (node >= size_) {
    return std::nullopt;
  }
  std::size_t i = node / kWordBits;
  Word word = words_[i] & ~(bit(node) - 1);
  while (word == 0) {
    if (++i == words_.size()) {
      return std::nullopt;
    }
    word = words_[i];
  }
  return i * kWordBits + static_cast<std::size_t>(std::countr_zero(word));
}

std::optional<std::size_t> NodeSet::find_next(std::size_t node) const {
  return node < size_ ? find_from(node + 1) : std::nullopt;
}

}  // namespace berth
