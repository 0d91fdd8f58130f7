// A value that is usually absent: costs one pointer until it is there.
//
// Copies deeply and compares by value, so a struct that holds one stays an ordinary value.
#pragma once

#include <memory>
#include <utility>

#include "base/assert.h"

namespace berth::api {

template <typename Value>
class Box {
 public:
  Box() = default;
  Box(Value value)  // NOLINT(google-explicit-constructor): `pod.spec.affinity = Affinity{...}`
      : value_(std::make_unique<Value>(std::move(value))) {}
  Box(const Box& other) : value_(other ? std::make_unique<Value>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    Box copy(other);
    value_ = std::move(copy.value_);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }

  const Value& operator*() const {
    BERTH_ASSERT(has_value(), "a Box is checked before its value is used");
    return *value_;
  }
  Value& operator*() {
    BERTH_ASSERT(has_value(), "a Box is checked before its value is used");
    return *value_;
  }
  const Value* operator->() const { return &**this; }
  Value* operator->() { return &**this; }

  Value& emplace() {
    value_ = std::make_unique<Value>();
    return *value_;
  }
  void reset() { value_.reset(); }

  bool operator==(const Box& other) const {
    return has_value() == other.has_value() && (!has_value() || *value_ == *other.value_);
  }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace berth::api
