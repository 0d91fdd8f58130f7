#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_text.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_cursor.h"
#include "api/codec/protobuf_leaves_internal.h"
#include "api/codec/reading.h"
#include "api/late_entries.h"
#include "api/mask.h"
#include "api/objects/meta.h"
#include "api/table.h"
#include "api/type.h"
#include "base/assert.h"
#include "base/result.h"

namespace berth::api::codec {
namespace {

bool is_number(Shape shape) {
  return shape == Shape::kBool || shape == Shape::kInt32 || shape == Shape::kInt64;
}

// How many fields with this number follow in a row behind the one whose key was just taken, it
// included.
std::size_t run_length(ProtobufCursor message, std::uint32_t number, WireType wire_type) {
  std::size_t length = 0;
  std::uint32_t next = number;
  while (next == number && message.skip(wire_type)) {
    ++length;
    if (message.is_at_end() || !message.take_key(next, wire_type)) {
      break;
    }
  }
  return length;
}

// The content of the field with this number that comes `index`-th, counted from zero; empty when
// there is none.
std::string_view nth_field(std::string_view bytes, std::uint32_t wanted, std::size_t index) {
  ProtobufCursor message(bytes);
  std::uint32_t number = 0;
  WireType wire_type{};
  while (!message.is_at_end() && message.take_key(number, wire_type)) {
    if (number == wanted && index-- == 0) {
      std::string_view content;
      return wire_type == WireType::kBytes && message.take_bytes(content) ? content : "";
    }
    if (!message.skip(wire_type)) {
      break;
    }
  }
  return {};
}

class ProtobufReader {
 public:
  explicit ProtobufReader(Reading& reading) : reading_(reading), leaves_(reading) {}

  bool read_object(std::string_view bytes, const Table& table, void* object, const Mask* mask) {
    if (!read_message(bytes, table, object, mask)) {
      return false;
    }
    merge_late(0);
    return true;
  }

 private:
  using Key = ProtobufLeaves::Key;

  bool read_message(std::string_view bytes, const Table& table, void* object, const Mask* mask) {
    ProtobufCursor message(bytes);
    while (!message.is_at_end()) {
      Key key{};
      if (!message.take_key(key.number, key.wire_type)) {
        return leaves_.malformed();
      }
      const Table::Slot slot = table.slot_of(key.number);
      if (slot.index == Table::kNone || (mask != nullptr && !mask->keeps(slot.index))) {
        if (!message.skip(key.wire_type)) {
          return leaves_.malformed();
        }
        continue;
      }
      // Most fields are short texts, and in most messages of Go most of those are empty.
      if (slot.shape == Shape::kString && key.wire_type == WireType::kBytes) {
        std::string_view text;
        const bool is_there = message.take_bytes(text);
        if (!is_there || !is_utf8(text)) {
          return wrong_string(table.fields()[slot.index], is_there);
        }
        void* place = static_cast<char*>(object) + slot.offset;
        store(text, *static_cast<std::string*>(place));
        continue;
      }
      const Mask* inner = mask == nullptr ? nullptr : mask->child(slot.index);
      if (!read_field(message, key, table.fields()[slot.index], object, inner)) {
        return false;
      }
    }
    return true;
  }

  // Out of line, so that what succeeds is inlined.
  [[gnu::noinline]] bool wrong_string(const Field& field, bool is_there) {
    reading_.enter(field.json_name);
    return is_there ? leaves_.not_utf8() : leaves_.malformed();
  }

  bool read_field(
      ProtobufCursor& message, Key key, const Field& field, void* object, const Mask* mask) {
    void* place = field.in(object);
    if (field.is_inlined()) {
      return read_value(message, key, *field.type, place, mask);
    }
    reading_.enter(field.json_name);
    if (!read_value(message, key, *field.type, place, mask)) {
      return false;
    }
    reading_.leave();
    return true;
  }

  // A string is nearly always read once, and making a new one is inlined where assigning is not.
  static void store(std::string_view bytes, std::string& text) {
    if (!bytes.empty() || !text.empty()) {
      text = std::string(bytes);
    }
  }

  bool read_value(
      ProtobufCursor& message, Key key, const Type& type, void* place, const Mask* mask) {
    std::string_view bytes;
    switch (type.shape) {
      case Shape::kString:
        if (!leaves_.take_text(message, key, bytes)) {
          return false;
        }
        store(bytes, *static_cast<std::string*>(place));
        return true;
      case Shape::kStruct:
        return leaves_.take_bytes(message, key, bytes) &&
               read_message(bytes, type.table(), place, mask);
      case Shape::kList:
        return read_list(message, key, type, place, mask);
      case Shape::kMap:
        return read_map_entry(message, key, type, place, mask);
      case Shape::kOptional:
      case Shape::kBox:
        return read_optional(message, key, type, place, mask);
      case Shape::kBool:
      case Shape::kInt32:
      case Shape::kInt64: {
        std::int64_t number = 0;
        return leaves_.take_int64(message, key, number) &&
               leaves_.store_number(number, type, place);
      }
      default:
        return leaves_.take_bytes(message, key, bytes) && leaves_.read(bytes, type, place);
    }
  }

  // A holder that was filled before is filled further, as protobuf wants of a repeated message.
  bool read_optional(
      ProtobufCursor& message, Key key, const Type& type, void* place, const Mask* mask) {
    const Shape shape = type.element->shape;
    if (shape == Shape::kTime || shape == Shape::kMicroTime) {
      std::string_view bytes;
      if (!leaves_.take_bytes(message, key, bytes)) {
        return false;
      }
      // Go writes the zero time, which stands for "none", as an empty message.
      return bytes.empty() || leaves_.read(bytes, *type.element, type.engage(place));
    }
    void* value = const_cast<void*>(type.peek(place));
    if (value == nullptr) {
      if (type.shape == Shape::kBox && !reading_.spend(*type.element)) {
        return false;
      }
      value = type.engage(place);
    }
    return read_value(message, key, *type.element, value, mask);
  }

  bool read_list(ProtobufCursor& message, Key key, const Type& type, void* list, const Mask* mask) {
    const Type& element = *type.element;
    if (is_number(element.shape) && key.wire_type == WireType::kBytes) {
      return read_packed(message, type, list);
    }
    const std::size_t index = type.count(list);
    if (index == 0) {
      const std::size_t run = run_length(message, key.number, key.wire_type);
      type.reserve(list, reading_.affordable(element, run));
    }
    if (!reading_.spend(element)) {
      return false;
    }
    reading_.enter(index);
    const std::size_t late_before = late_.size();
    if (!read_value(message, key, element, type.append(list), mask)) {
      return false;
    }
    merge_late(late_before);
    reading_.leave();
    return true;
  }

  bool read_packed(ProtobufCursor& message, const Type& type, void* list) {
    std::string_view bytes;
    if (!message.take_bytes(bytes)) {
      return leaves_.malformed();
    }
    ProtobufCursor numbers(bytes);
    while (!numbers.is_at_end()) {
      std::uint64_t bits = 0;
      if (!numbers.take_varint(bits)) {
        return leaves_.malformed();
      }
      if (!reading_.spend(*type.element) ||
          !leaves_.store_number(
              static_cast<std::int64_t>(bits), *type.element, type.append(list))) {
        return false;
      }
    }
    return true;
  }

  // A map is a repeated message: key = 1, value = 2, in this order where a server wrote it.
  bool read_map_entry(
      ProtobufCursor& message, Key key, const Type& type, void* map, const Mask* mask) {
    if (type.count(map) == 0) {
      const std::size_t run = run_length(message, key.number, key.wire_type);
      type.reserve(map, reading_.affordable(*type.element, run));
    }
    std::string_view bytes;
    std::string_view name;
    if (!leaves_.take_bytes(message, key, bytes) || !find_map_key(bytes, name) ||
        !reading_.spend_entry(*type.element)) {
      return false;
    }
    void* value = type.append_entry(map, name);
    if (value == nullptr) {
      value = late_entries_of(type, map).add(name);
    }
    reading_.enter_key(name);
    const std::size_t late_before = late_.size();
    const bool is_read = leaves_.for_each_field(bytes, [&](ProtobufCursor& entry, Key inner) {
      return inner.number == 2 ? read_value(entry, inner, *type.element, value, mask)
                               : leaves_.skip(entry, inner);
    });
    if (!is_read) {
      return false;
    }
    merge_late(late_before);
    reading_.leave();
    return true;
  }

  LateEntries& late_entries_of(const Type& type, void* map) {
    for (const Late& late : late_) {
      if (late.map == map) {
        return *late.entries;
      }
    }
    return *late_.emplace_back(map, type.late_entries(map)).entries;
  }

  // Entries of a map may come apart from each other, and its struct in pieces; so they are merged
  // when the element of a list or map that holds them is complete. Later it may move.
  void merge_late(std::size_t from) {
    for (; late_.size() > from; late_.pop_back()) {
      static_cast<void>(late_.back().entries->merge());  // of equal keys the last one wins
    }
  }

  bool find_map_key(std::string_view bytes, std::string_view& name) {
    return leaves_.for_each_field(bytes, [&](ProtobufCursor& entry, Key key) {
      return key.number == 1 ? leaves_.take_text(entry, key, name) : leaves_.skip(entry, key);
    });
  }

  struct Late {
    void* map;
    std::unique_ptr<LateEntries> entries;
  };

  Reading& reading_;
  ProtobufLeaves leaves_;
  std::vector<Late> late_;  // of maps that are being read, innermost last
};

// The metadata of the object that could not be read, or for a list that of the item which failed,
// as far as it can be had: the error is told with or without a name.
ObjectMeta metadata_of(std::string_view message, const Table& table, const Reading& failed) {
  if (const Field* items = items_of(table)) {
    message = failed.item() ? nth_field(message, items->number, *failed.item()) : "";
  }
  OnlyMetadata named;
  Reading ignored(message.size());
  static_cast<void>(
      ProtobufReader(ignored).read_object(message, OnlyMetadata::table(), &named, nullptr));
  return named.metadata;
}

}  // namespace

Result<void> read_protobuf(std::string_view message,
                           std::string_view kind,
                           const Table& table,
                           void* object,
                           const Mask* mask) {
  BERTH_ASSERT(mask == nullptr || mask->is_for(table), "a mask is for one kind");
  Reading reading(message.size());
  if (ProtobufReader(reading).read_object(message, table, object, mask)) {
    return {};
  }
  return describe(reading, kind, metadata_of(message, table, reading));
}

}  // namespace berth::api::codec
