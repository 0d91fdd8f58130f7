// What both readers share while they read one object: where they are, what went wrong, and how much
// memory the input may still ask for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/meta.h"
#include "api/table.h"
#include "api/type.h"
#include "base/assert.h"
#include "base/error.h"

namespace berth::api::codec {

// Deeper input is refused. Kubernetes' own objects stay below 40, managed fields included.
inline constexpr int kDepthMax = 128;

// A message of a few bytes can ask for a large struct ("{}" in a list of volumes). What all of them
// together take is bounded by the size of the input: real pods take 2 to 4 times their bytes. A
// list that grows holds up to three times its elements for a moment.
inline constexpr std::size_t kMemoryFactorMax = 64;
inline constexpr std::size_t kMemoryFree = std::size_t{1} << 20;

class Reading {
 public:
  explicit Reading(std::size_t input_size)
      : memory_left_(kMemoryFree + kMemoryFactorMax * input_size) {}

  void enter(std::string_view field) { push({field, kNoIndex}); }
  void enter(std::size_t index) { push({{}, index}); }
  // The key must live until leave() or fail().
  void enter_key(std::string_view key) { push({key, kKey}); }
  void leave() { --length_; }

  // Takes what one more `type` costs. False when the input asks for too much.
  bool spend(const Type& type) { return spend(type.size); }
  // An entry of a map: its key too.
  bool spend_entry(const Type& value) { return spend(value.size + sizeof(std::string)); }

  // How many of `count` more the input may ask for.
  std::size_t affordable(const Type& type, std::size_t count) const {
    return std::min(count, memory_left_ / type.size);
  }

  // Records the first failure and where it is. Returns false.
  bool fail(ErrorCode code, std::string what);
  bool fail(std::string what) { return fail(ErrorCode::kInvalid, std::move(what)); }

  ErrorCode code() const { return code_; }
  const std::string& what() const { return what_; }
  // Where it failed: "spec.containers[1].resources.requests[cpu]"; empty at the top.
  const std::string& path() const { return path_text_; }
  // In which item of a list it failed ("items[3]..."), if in one.
  std::optional<std::size_t> item() const { return item_; }

 private:
  static constexpr std::size_t kNoIndex = ~std::size_t{0};
  static constexpr std::size_t kKey = kNoIndex - 1;

  struct Part {
    std::string_view name;
    std::size_t index;  // kNoIndex for a field, kKey for a key

    bool is_index() const { return index != kNoIndex && index != kKey; }
  };

  bool spend(std::size_t bytes) {
    if (memory_left_ < bytes) [[unlikely]] {
      return fail_limit();
    }
    memory_left_ -= bytes;
    return true;
  }
  bool fail_limit();
  std::string path_so_far() const;

  void push(Part part) {
    BERTH_ASSERT(length_ < path_.size(), "tables do not nest deeper than this");
    path_[length_++] = part;
  }

  // Tables hold no cycles, so a path is never longer than the deepest of them (about 20).
  std::array<Part, 48> path_;
  std::size_t length_ = 0;
  std::size_t memory_left_;
  ErrorCode code_ = ErrorCode::kInternal;
  std::string what_;
  std::string path_text_;
  std::optional<std::size_t> item_;
};

// Whether a member of a struct makes it a list: objects called "items".
bool is_items(const Field& field);
// That member, or nullptr.
const Field* items_of(const Table& table);

// The metadata of any object, for naming one whose metadata was not reached.
struct OnlyMetadata {
  ObjectMeta metadata;

  static const Table& table();
};

// The error of a failed reading: "Pod default/web-0: spec.nodeName: expected a string". `metadata`
// is that of the object, or for a list that of the item which failed, as far as it is known.
Error describe(const Reading& reading, std::string_view kind, const ObjectMeta& metadata);

}  // namespace berth::api::codec
