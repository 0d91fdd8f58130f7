// Room for several claims of one class in the pools of a node: which claim in which pool, so that
// all have some. Taken one after the other, a small claim may sit where only a large one finds
// room.
//
// Every way there is, in the worst case; beyond kTriesMax it gives up, as if there were no room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {

class RoomSearch {
 public:
  // Claims put into a pool, the same one again included. Few claims and few pools need dozens; so
  // many take a fraction of a millisecond.
  static constexpr std::size_t kTriesMax = 10'000;

  // All outlive it. `pools` are those that reach the node.
  RoomSearch(std::vector<const ClaimEntry*> claims,
             std::span<const CapacityEntry* const> pools,
             const Switches& switches);

  // Whether there is room for all.
  bool find();
  // Nothing was found because not everything was tried.
  bool has_given_up() const { return tries_ > kTriesMax; }
  // When there is: the pool of each claim, in the order they were given.
  const std::vector<const CapacityEntry*>& found() const { return chosen_; }

 private:
  bool place(std::size_t next);
  bool is_hopeless(std::size_t next) const;
  bool is_like_an_earlier(std::size_t pool) const;
  std::int64_t room_of(std::size_t pool) const;

  std::vector<const ClaimEntry*> claims_;
  std::span<const CapacityEntry* const> pools_;
  const Switches& switches_;
  std::vector<std::size_t> order_;   // claims without room of their own, largest first
  std::vector<std::int64_t> taken_;  // by pool
  std::vector<const CapacityEntry*> chosen_;
  std::size_t tries_ = 0;
};

}  // namespace berth::volumes
