// Gives each distinct text a small number: ids count up from 0 in the order in which the texts were
// first seen, so equal inputs give equal ids. Comparing, hashing and storing an id costs four bytes
// where the text costs its length.
//
// Texts are copied once into large blocks, without an allocation of their own, and never leave:
// views stay valid for as long as the interner lives. It is therefore for words that repeat (label
// keys and values, zones, node names), not for texts that are new every time.
//
// Texts come from outside, so their number is limited and intern() fails beyond it; find() and
// text() go on working. Not thread-safe: one thread owns an interner.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

class Interner {
 public:
  using Id = std::uint32_t;

  // Half of what an id can number; users may mark ids with the free bit.
  static constexpr std::size_t kTextsMax = std::size_t{1} << 31;

  explicit Interner(std::size_t texts_max = kTextsMax);
  Interner(const Interner&) = delete;  // the index points into this object
  Interner& operator=(const Interner&) = delete;
  ~Interner() = default;

  // The id of `text`, which is added if it is new. ErrorCode::kLimit if there is no room for it.
  Result<Id> intern(std::string_view text);
  // The id of `text` if it was interned. Allocates nothing.
  std::optional<Id> find(std::string_view text) const;
  // `id` comes from this interner.
  std::string_view text(Id id) const;
  // The number of distinct texts, and the first id not given out yet.
  std::size_t size() const { return texts_.size(); }

 private:
  // The index holds ids only; hash and equality look the text up. A text is found by itself.
  struct Hash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(Id id) const;
    std::size_t operator()(std::string_view text) const;
    const std::vector<std::string_view>* texts;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(Id a, Id b) const { return a == b; }
    bool operator()(std::string_view text, Id id) const { return text == (*texts)[id]; }
    bool operator()(Id id, std::string_view text) const { return text == (*texts)[id]; }
    const std::vector<std::string_view>* texts;
  };

  std::string_view store(std::string_view text);

  const std::size_t texts_max_;
  std::vector<std::string_view> texts_;  // by id; views into blocks_
  boost::unordered_flat_set<Id, Hash, Equal> index_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;  // what is left of the block that is being filled
  std::size_t free_bytes_ = 0;
};

}  // namespace berth
