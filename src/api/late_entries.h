// Entries of a map whose keys come out of order.
//
// A Map is sorted. Putting each late entry into its place at once would move the rest of the map
// every time, which takes minutes for a hostile one; so they are kept aside and merged once.
#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"

namespace berth::api {

class LateEntries {
 public:
  LateEntries() = default;
  LateEntries(const LateEntries&) = delete;
  LateEntries& operator=(const LateEntries&) = delete;
  virtual ~LateEntries() = default;

  // The value of one more entry, default constructed; it stays where it is until the next call.
  virtual void* add(std::string_view key) = 0;

  // Brings all entries into the map, which has not moved. Of several with the same key the one that
  // came last stays, and one such key is returned.
  virtual std::optional<std::string> merge() = 0;
};

template <typename Value>
class LateEntriesOf final : public LateEntries {
 public:
  // What `map` holds came before every late entry with the same key.
  explicit LateEntriesOf(Map<Value>& map) : map_(map) {}

  void* add(std::string_view key) override {
    return &late_.emplace_back(std::string(key), Value{}).second;
  }

  std::optional<std::string> merge() override {
    Entries unsorted = map_.extract_sequence();
    unsorted.insert(unsorted.end(),
                    std::make_move_iterator(late_.begin()),
                    std::make_move_iterator(late_.end()));
    std::vector<std::size_t> order(unsorted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const int by_key = unsorted[a].first.compare(unsorted[b].first);
      return by_key != 0 ? by_key < 0 : a < b;
    });
    Entries sorted;
    sorted.reserve(unsorted.size());
    std::optional<std::string> repeated;
    for (const std::size_t index : order) {
      if (!sorted.empty() && sorted.back().first == unsorted[index].first) {
        repeated = sorted.back().first;
        sorted.pop_back();
      }
      sorted.push_back(std::move(unsorted[index]));
    }
    map_.adopt_sequence(boost::container::ordered_unique_range, std::move(sorted));
    return repeated;
  }

 private:
  using Entries = typename Map<Value>::sequence_type;

  Map<Value>& map_;
  Entries late_;
};

}  // namespace berth::api
