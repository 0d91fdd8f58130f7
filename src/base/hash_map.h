// The hash containers of the project: open addressing, and maps with text keys are searched by
// std::string_view without making a string.
//
// Insertion moves elements, so no pointer, reference or iterator into one is kept. The order of
// iteration is arbitrary and must not reach a decision: sort, or keep an index vector.
//
// A key type of our own provides `std::size_t hash_value(const Key&)` in its namespace and ==.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace berth {

// std::hash mixes every byte of a text into every bit of the result; Boost is told so that it does
// not mix again. (boost::hash goes through a text one character at a time.)
struct TextHash {
  using is_transparent = void;
  using is_avalanching = void;

  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

template <typename Key>
struct KeyTraits {
  using Hash = boost::hash<Key>;
  using Equal = std::equal_to<Key>;
};

template <>
struct KeyTraits<std::string> {
  using Hash = TextHash;
  using Equal = std::equal_to<>;
};

template <>
struct KeyTraits<std::string_view> : KeyTraits<std::string> {};

template <typename Key, typename Value>
using HashMap = boost::
    unordered_flat_map<Key, Value, typename KeyTraits<Key>::Hash, typename KeyTraits<Key>::Equal>;

template <typename Key>
using HashSet =
    boost::unordered_flat_set<Key, typename KeyTraits<Key>::Hash, typename KeyTraits<Key>::Equal>;

}  // namespace berth
