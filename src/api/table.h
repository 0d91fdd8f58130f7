// One line per field: what a member is called in JSON, its protobuf number, and how a strategic
// merge patch treats it. The line is the only place that knows.
//
//   const Table& PodSchedulingGate::table() {
//     using S = PodSchedulingGate;
//     static const Table table{
//         field("name", 1, &S::name),
//     };
//     return table;
//   }
//
// Both readers, both writers, masks and the merge rules walk the table; so do the tests that
// compare it with Kubernetes' published definitions. Lines stand in the order of upstream's Go
// structs, which is the order in which servers write JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "api/type.h"

namespace berth::api {

// How a strategic merge patch treats a field.
enum class PatchStrategy : std::uint8_t {
  kDefault,      // structs and maps merge, everything else is replaced
  kMerge,        // a list merges: by merge_key, or as a set when it has none
  kMergeRetain,  // as kMerge, and a patch may name with $retainKeys the members that survive
  kReplace,      // replaced as a whole although it is a struct
};

struct Field {
  // Empty for a struct whose members stand in the JSON object of the one that holds it.
  std::string_view json_name;
  // 0 where the kind has no protobuf form (custom resources).
  std::uint32_t number;
  std::uint32_t offset;
  const Type* type;
  PatchStrategy patch_strategy = PatchStrategy::kDefault;
  std::string_view merge_key = {};

  bool is_inlined() const { return json_name.empty(); }
  const void* in(const void* object) const { return static_cast<const char*>(object) + offset; }
  void* in(void* object) const { return static_cast<char*>(object) + offset; }

  Field merged_by(std::string_view key) const;
  Field merged() const;
  Field retaining_keys() const;
  Field replaced() const;
};

class Table {
 public:
  static constexpr std::uint8_t kNone = 0xff;

  Table(std::initializer_list<Field> fields);
  // Names point at lines.
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() = default;

  std::span<const Field> fields() const { return fields_; }

  // The line with this protobuf number, or nullptr.
  const Field* find(std::uint32_t number) const {
    const Slot slot = slot_of(number);
    return slot.index != kNone ? &fields_[slot.index] : nullptr;
  }

  // What the protobuf reader needs of most lines, close together: the tables together are larger
  // than a processor's first cache, their slots are not.
  struct Slot {
    std::uint32_t offset = 0;
    std::uint8_t index = kNone;
    Shape shape = Shape::kBool;
  };
  // `index` is kNone where no line has the number.
  Slot slot_of(std::uint32_t number) const {
    return number < by_number_.size() ? by_number_[number] : Slot{};
  }

  // A name of the struct's JSON object: a line of this table, or one of an inlined struct.
  struct JsonName {
    std::string_view name;
    const Field* field;
    // Where the member is, counted from the outer struct.
    std::uint32_t offset;
    // The inlined struct the line belongs to, or nullptr.
    const Field* inlined_in;
  };
  std::span<const JsonName> json_names() const { return json_names_; }

  std::size_t index_of(const Field& field) const {
    return static_cast<std::size_t>(&field - fields_.data());
  }

  static constexpr std::size_t kFieldsMax = 64;

 private:
  std::vector<Field> fields_;
  std::vector<Slot> by_number_;
  std::vector<JsonName> json_names_;
};

namespace internal {

// Where `member` lies in its struct. Measured on a real object: members of structs that hold
// containers have no offsetof that the standard promises.
template <typename Struct, typename Member>
std::uint32_t offset_of(Member Struct::* member) {
  static const Struct probe{};
  const auto* start = reinterpret_cast<const char*>(&probe);
  const auto* place = reinterpret_cast<const char*>(&(probe.*member));
  return static_cast<std::uint32_t>(place - start);
}

}  // namespace internal

template <typename Struct, typename Member>
Field field(std::string_view json_name, std::uint32_t number, Member Struct::* member) {
  return {.json_name = json_name,
          .number = number,
          .offset = internal::offset_of(member),
          .type = &kType<Member>};
}

// A field of a custom resource, which has no protobuf form.
template <typename Struct, typename Member>
Field json_field(std::string_view json_name, Member Struct::* member) {
  return field(json_name, 0, member);
}

// A struct of its own in protobuf whose members stand in the outer object in JSON.
template <typename Struct, HasTable Member>
Field inlined(std::uint32_t number, Member Struct::* member) {
  return field("", number, member);
}

}  // namespace berth::api
