// What a member of an API object is, told at run time.
//
// `kType<Member>` describes the C++ type of a member: its shape and, for members that hold others,
// how to reach or make what they hold. The codecs walk these descriptions; nothing else knows both
// a member's type and its bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/late_entries.h"
#include "api/members.h"

namespace berth::api {

enum class Shape : std::uint8_t {
  kBool,
  kInt32,
  kInt64,
  kString,
  kBytes,
  kTime,
  kMicroTime,
  kQuantity,
  kIntOrString,
  kRawJson,
  kEmbedded,
  kStruct,    // has a table
  kOptional,  // std::optional of an element
  kBox,       // Box of an element
  kList,      // std::vector of elements
  kMap,       // Map of elements
};

struct Type {
  Shape shape;
  // sizeof the member: what one more of it costs a list or a box.
  std::uint32_t size;
  // kOptional, kBox, kList, kMap: what they hold.
  const Type* element = nullptr;

  // kStruct
  const Table& (*table)() = nullptr;
  // kOptional, kBox: makes the value present, default constructed, and returns it.
  void* (*engage)(void* holder) = nullptr;
  // kOptional, kBox: the value, or nullptr when absent.
  const void* (*peek)(const void* holder) = nullptr;
  // kList, kMap: room for `count` elements in all.
  void (*reserve)(void* container, std::size_t count) = nullptr;
  // kList: a new element at the end.
  void* (*append)(void* list) = nullptr;
  // kMap: the value of a new entry at the end, default constructed; nullptr when `key` does not
  // come after all that are there.
  void* (*append_entry)(void* map, std::string_view key) = nullptr;
  // kMap: takes the entries append_entry() did not.
  std::unique_ptr<LateEntries> (*late_entries)(void* map) = nullptr;
  // kList, kMap
  std::size_t (*count)(const void* container) = nullptr;
  const void* (*at)(const void* container, std::size_t index) = nullptr;
  // kMap
  std::string_view (*key_at)(const void* map, std::size_t index) = nullptr;
};

template <typename Member>
struct Describe;

template <typename Member>
inline constexpr Type kType = Describe<Member>::type();

template <typename Struct>
concept HasTable = requires {
  { Struct::table() } -> std::same_as<const Table&>;
};

namespace internal {

template <typename Member, Shape kShape>
struct DescribeScalar {
  static constexpr Type type() { return {.shape = kShape, .size = sizeof(Member)}; }
};

template <typename Holder, typename Value, Shape kShape>
struct DescribeHolder {
  static constexpr Type type() {
    return {
        .shape = kShape,
        .size = sizeof(Holder),
        .element = &kType<Value>,
        .engage = [](void* holder) -> void* { return &static_cast<Holder*>(holder)->emplace(); },
        .peek = [](const void* holder) -> const void* {
          const auto& typed = *static_cast<const Holder*>(holder);
          return typed.has_value() ? &*typed : nullptr;
        }};
  }
};

}  // namespace internal

template <>
struct Describe<bool> : internal::DescribeScalar<bool, Shape::kBool> {};
template <>
struct Describe<Bool> : internal::DescribeScalar<Bool, Shape::kBool> {};
template <>
struct Describe<std::int32_t> : internal::DescribeScalar<std::int32_t, Shape::kInt32> {};
template <>
struct Describe<std::int64_t> : internal::DescribeScalar<std::int64_t, Shape::kInt64> {};
template <>
struct Describe<std::string> : internal::DescribeScalar<std::string, Shape::kString> {};
template <>
struct Describe<Bytes> : internal::DescribeScalar<Bytes, Shape::kBytes> {};
template <>
struct Describe<Time> : internal::DescribeScalar<Time, Shape::kTime> {};
template <>
struct Describe<MicroTime> : internal::DescribeScalar<MicroTime, Shape::kMicroTime> {};
template <>
struct Describe<Quantity> : internal::DescribeScalar<Quantity, Shape::kQuantity> {};
template <>
struct Describe<IntOrString> : internal::DescribeScalar<IntOrString, Shape::kIntOrString> {};
template <>
struct Describe<RawJson> : internal::DescribeScalar<RawJson, Shape::kRawJson> {};
template <>
struct Describe<Embedded> : internal::DescribeScalar<Embedded, Shape::kEmbedded> {};

template <HasTable Struct>
struct Describe<Struct> {
  static constexpr Type type() {
    return {.shape = Shape::kStruct, .size = sizeof(Struct), .table = &Struct::table};
  }
};

template <typename Value>
struct Describe<std::optional<Value>>
    : internal::DescribeHolder<std::optional<Value>, Value, Shape::kOptional> {};
template <typename Value>
struct Describe<Box<Value>> : internal::DescribeHolder<Box<Value>, Value, Shape::kBox> {};

template <typename Value>
struct Describe<std::vector<Value>> {
  static_assert(!std::same_as<Value, bool>, "a list of booleans is a std::vector<Bool>");
  using List = std::vector<Value>;
  static constexpr Type type() {
    return {
        .shape = Shape::kList,
        .size = sizeof(List),
        .element = &kType<Value>,
        .reserve = [](void* list, std::size_t count) { static_cast<List*>(list)->reserve(count); },
        .append = [](void* list) -> void* { return &static_cast<List*>(list)->emplace_back(); },
        .count = [](const void* list) { return static_cast<const List*>(list)->size(); },
        .at = [](const void* list, std::size_t index) -> const void* {
          return &(*static_cast<const List*>(list))[index];
        }};
  }
};

template <typename Value>
struct Describe<Map<Value>> {
  static constexpr Type type() {
    return {.shape = Shape::kMap,
            .size = sizeof(Map<Value>),
            .element = &kType<Value>,
            .reserve = [](void* map,
                          std::size_t count) { static_cast<Map<Value>*>(map)->reserve(count); },
            .append_entry = &append_entry,
            .late_entries = [](void* map) -> std::unique_ptr<LateEntries> {
              return std::make_unique<LateEntriesOf<Value>>(*static_cast<Map<Value>*>(map));
            },
            .count = [](const void* map) { return static_cast<const Map<Value>*>(map)->size(); },
            .at = [](const void* map, std::size_t index) -> const void* {
              return &static_cast<const Map<Value>*>(map)->nth(index)->second;
            },
            .key_at = [](const void* map, std::size_t index) -> std::string_view {
              return static_cast<const Map<Value>*>(map)->nth(index)->first;
            }};
  }

 private:
  static void* append_entry(void* untyped, std::string_view key) {
    auto& map = *static_cast<Map<Value>*>(untyped);
    // Servers write maps in order of their keys, so the place is nearly always the end.
    if (!map.empty() && map.rbegin()->first >= key) {
      return nullptr;
    }
    return &map.emplace_hint(map.end(), std::string(key), Value{})->second;
  }
};

}  // namespace berth::api
