#include "volumes/room_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "volumes/provisioning.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

std::int64_t bytes_for(const ClaimEntry& claim) {
  return request_of(*claim.current()).value();
}

std::int64_t whole_of(const CapacityEntry& pool) {
  return pool.object->capacity ? pool.object->capacity->value() : pool.limit.value_or(0);
}

}  // namespace

RoomSearch::RoomSearch(std::vector<const ClaimEntry*> claims,
                       std::span<const CapacityEntry* const> pools,
                       const Switches& switches)
    : claims_(std::move(claims)),
      pools_(pools),
      switches_(switches),
      taken_(pools.size()),
      chosen_(claims_.size()) {
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    // What is promised to a claim already costs the others nothing.
    const auto own = std::ranges::find_if(pools_, [this, i](const CapacityEntry* pool) {
      return pool->object == claims_[i]->pool && fits(*pool, *claims_[i], 0, switches_);
    });
    if (own != pools_.end()) {
      chosen_[i] = *own;
    } else {
      order_.push_back(i);
    }
  }
  std::ranges::sort(order_, [this](std::size_t a, std::size_t b) {
    const std::int64_t one = bytes_for(*claims_[a]);
    const std::int64_t other = bytes_for(*claims_[b]);
    return one != other ? one > other : a < b;
  });
}

bool RoomSearch::find() {
  return place(0);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a pod has claims
bool RoomSearch::place(std::size_t next) {
  if (next == order_.size()) {
    return true;
  }
  if (is_hopeless(next)) {
    return false;
  }
  const ClaimEntry& claim = *claims_[order_[next]];
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    if (is_like_an_earlier(i) || !fits(*pools_[i], claim, taken_[i], switches_)) {
      continue;
    }
    if (++tries_ > kTriesMax) {
      return false;
    }
    const std::int64_t before = taken_[i];
    taken_[i] = saturating_add(before, bytes_for(claim));
    chosen_[order_[next]] = pools_[i];
    if (place(next + 1)) {
      return true;
    }
    taken_[i] = before;
  }
  return false;
}

// All room together is too little for what is left to place.
bool RoomSearch::is_hopeless(std::size_t next) const {
  std::int64_t wanted = 0;
  for (std::size_t i = next; i < order_.size(); ++i) {
    wanted = saturating_add(wanted, bytes_for(*claims_[order_[i]]));
  }
  std::int64_t room = 0;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    room = saturating_add(room, room_of(i));
  }
  return wanted > room;
}

// What did not work with a pool does not work with one of which the same is left.
bool RoomSearch::is_like_an_earlier(std::size_t pool) const {
  for (std::size_t i = 0; i < pool; ++i) {
    if (taken_[i] == taken_[pool] && pools_[i]->promised == pools_[pool]->promised &&
        pools_[i]->limit == pools_[pool]->limit &&
        whole_of(*pools_[i]) == whole_of(*pools_[pool])) {
      return true;
    }
  }
  return false;
}

std::int64_t RoomSearch::room_of(std::size_t pool) const {
  const CapacityEntry& entry = *pools_[pool];
  const std::int64_t used = saturating_add(taken_[pool], entry.promised);
  // While nothing is used the limit alone counts.
  const std::int64_t whole =
      used == 0 ? std::max(whole_of(entry), entry.limit.value_or(0)) : whole_of(entry);
  return std::max<std::int64_t>(0, saturating_sub(whole, used));
}

}  // namespace berth::volumes
