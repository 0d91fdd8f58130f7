// A value or the Error that kept it from being made.
//
//   Result<int> parse(std::string_view text);
//
//   auto number = parse(text);
//   if (!number) {
//     return std::move(number).error().in("field 'replicas'");
//   }
//   use(*number);
//
// or, where the error only passes through:
//
//   BERTH_TRY(const int number, parse(text));
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/error.h"

namespace berth {

template <typename Value>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return error;` make results
  Result(Value value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  const Value& operator*() const& {
    BERTH_ASSERT(has_value(), "a Result is checked before its value is used");
    return *std::get_if<0>(&state_);
  }
  Value& operator*() & {
    BERTH_ASSERT(has_value(), "a Result is checked before its value is used");
    return *std::get_if<0>(&state_);
  }
  Value&& operator*() && { return std::move(**this); }
  const Value* operator->() const { return &**this; }
  Value* operator->() { return &**this; }

  const Error& error() const& {
    BERTH_ASSERT(!has_value(), "only a failed Result has an error");
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    BERTH_ASSERT(!has_value(), "only a failed Result has an error");
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<Value, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` makes a failed one
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  const Error& error() const& {
    BERTH_ASSERT(error_.has_value(), "only a failed Result has an error");
    return *error_;
  }
  Error&& error() && {
    BERTH_ASSERT(error_.has_value(), "only a failed Result has an error");
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace berth

#define BERTH_CONCAT_INNER(a, b) a##b
#define BERTH_CONCAT(a, b) BERTH_CONCAT_INNER(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are a name and a declaration
// Declares `declaration` with the value of `expression`, or returns its error from the caller.
#define BERTH_TRY(declaration, expression) \
  BERTH_TRY_INNER(BERTH_CONCAT(berth_try_, __LINE__), declaration, expression)
#define BERTH_TRY_INNER(name, declaration, expression) \
  auto name = (expression);                            \
  if (!name) {                                         \
    return std::move(name).error();                    \
  }                                                    \
  declaration = *std::move(name)
// NOLINTEND(bugprone-macro-parentheses)
