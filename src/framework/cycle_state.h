// What plugins keep of one pod during one attempt: a value a slot, each of its own type.
//
//   class Zones : ... {
//     explicit Zones(StateLayout& layout) : wanted_(layout) {}
//     ... cycle.state.put(wanted_, zones_of(pod));          // PreFilter
//     ... const Wanted* wanted = cycle.state.find(wanted_); // Filter; nullptr: PreFilter did not
//     run Slot<Wanted> wanted_;
//
// Slots are numbered when the plugins are made, so that finding one is an index. A state belongs to
// one attempt and is never used again; it moves along from the decision to the binding.
#pragma once

#include <bitset>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace berth::framework {

// Plugins of a runner, by their number in it.
inline constexpr std::size_t kPluginsMax = 64;
using PluginSet = std::bitset<kPluginsMax>;

// How many slots there are. One a runner; it grows only while plugins are made.
class StateLayout {
 public:
  std::size_t add() { return size_++; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

// A place for a Value in every state of the layout. What clone() copies is the value: one that is
// dear to copy and does not change is kept behind a shared_ptr to const.
template <typename Value>
  requires std::copy_constructible<Value>
class Slot {
 public:
  explicit Slot(StateLayout& layout) : index_(layout.add()) {}

 private:
  friend class CycleState;
  std::size_t index_;
};

class CycleState {
 public:
  explicit CycleState(const StateLayout& layout) : values_(layout.size()) {}
  CycleState(CycleState&&) noexcept = default;
  CycleState& operator=(CycleState&&) noexcept = default;
  ~CycleState() = default;

  // What was in the slot is gone.
  template <typename Value>
  Value& put(const Slot<Value>& slot, std::type_identity_t<Value> value) {
    BERTH_ASSERT(slot.index_ < values_.size(), "a slot is used with states of its own layout");
    auto held = std::make_unique<Held<Value>>(std::move(value));
    Value& inside = held->value;
    values_[slot.index_] = std::move(held);
    return inside;
  }

  // nullptr when nothing was put there.
  template <typename Value>
  Value* find(const Slot<Value>& slot) {
    return const_cast<Value*>(std::as_const(*this).find(slot));
  }
  template <typename Value>
  const Value* find(const Slot<Value>& slot) const {
    if (slot.index_ >= values_.size() || values_[slot.index_] == nullptr) {
      return nullptr;
    }
    return &static_cast<const Held<Value>*>(values_[slot.index_].get())->value;
  }

  template <typename Value>
  void erase(const Slot<Value>& slot) {
    if (slot.index_ < values_.size()) {
      values_[slot.index_].reset();
    }
  }

  // Every value copied: what a supposition about other pods changes does not leak into this one.
  CycleState clone() const;

  // For the runner: plugins that said Skip in PreFilter and in PreScore.
  PluginSet skips_filter;
  PluginSet skips_score;

 private:
  struct Any {
    Any() = default;
    Any(const Any&) = delete;
    Any& operator=(const Any&) = delete;
    virtual ~Any() = default;
    virtual std::unique_ptr<Any> clone() const = 0;
  };
  template <typename Value>
  struct Held final : Any {
    explicit Held(Value its_value) : value(std::move(its_value)) {}
    std::unique_ptr<Any> clone() const override { return std::make_unique<Held>(value); }
    Value value;
  };

  std::vector<std::unique_ptr<Any>> values_;
};

}  // namespace berth::framework
