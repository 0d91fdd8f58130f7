// Which fields of a kind a reader fills; the others are skipped as if they were not there.
//
//   static const Mask kMask = Mask::keeping<Pod>({"metadata.name", "spec.containers.resources"});
//   auto pod = from_protobuf<Pod>(bytes, &kMask);
//
// A path names fields as JSON does. It passes through lists, maps and optional values, and naming a
// struct means all of it. A path that does not exist is a programmer's mistake and aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "api/table.h"
#include "api/type.h"

namespace berth::api {

class Mask {
 public:
  template <HasTable Struct>
  static Mask keeping(std::initializer_list<std::string_view> paths) {
    return keeping(Struct::table(), paths);
  }
  template <HasTable Struct>
  static Mask dropping(std::initializer_list<std::string_view> paths) {
    return dropping(Struct::table(), paths);
  }

  static Mask keeping(const Table& table, std::initializer_list<std::string_view> paths);
  static Mask dropping(const Table& table, std::initializer_list<std::string_view> paths);

  bool is_for(const Table& table) const { return table_ == &table; }
  // `index` is that of a line of the table this mask is for.
  bool keeps(std::size_t index) const { return (kept_ >> index & 1U) != 0; }
  // The mask of the struct behind the line, or nullptr when all of it is kept.
  const Mask* child(std::size_t index) const {
    return (partial_ >> index & 1U) != 0 ? &children_[index] : nullptr;
  }

 private:
  struct Step;

  Mask(const Table& table, bool keeps_all);

  void keep(std::string_view path);
  void drop(std::string_view path);
  // The child mask of a line, made with `keeps_all` when the line had none.
  Mask& partial(std::size_t index, bool keeps_all);

  const Table* table_;
  std::uint64_t kept_ = 0;
  std::uint64_t partial_ = 0;
  std::vector<Mask> children_;
};

}  // namespace berth::api
