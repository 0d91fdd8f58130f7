#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "api/codec/json_text.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_cursor.h"
#include "api/codec/reading.h"
#include "api/int_or_string.h"
#include "api/mask.h"
#include "api/quantity.h"
#include "api/table.h"
#include "api/time.h"
#include "api/type.h"
#include "base/error.h"
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

class ProtobufReader {
 public:
  explicit ProtobufReader(Reading& reading) : reading_(reading) {}

  bool read_message(std::string_view bytes, const Table& table, void* object, const Mask* mask) {
    ProtobufCursor message(bytes);
    while (!message.is_at_end()) {
      Key key{};
      if (!message.take_key(key.number, key.wire_type)) {
        return malformed();
      }
      const Table::Slot slot = table.slot_of(key.number);
      if (slot.index == Table::kNone || (mask != nullptr && !mask->keeps(slot.index))) {
        if (!message.skip(key.wire_type)) {
          return malformed();
        }
        continue;
      }
      // Most fields are short texts, and in most messages of Go most of those are empty.
      if (slot.shape == Shape::kString && key.wire_type == WireType::kBytes) {
        void* text = static_cast<char*>(object) + slot.offset;
        if (!read_string(message, *static_cast<std::string*>(text))) {
          reading_.enter(table.fields()[slot.index].json_name);
          return false;
        }
        continue;
      }
      const Mask* inner = mask == nullptr ? nullptr : mask->child(slot.index);
      if (!read_field(message, key, table.fields()[slot.index], object, inner)) {
        return false;
      }
    }
    return true;
  }

 private:
  struct Key {
    std::uint32_t number;
    WireType wire_type;
  };

  // What fails is told out of line, so that what succeeds is inlined.
  [[gnu::noinline]] bool malformed() {
    return reading_.fail("malformed protobuf: it ends too early or is garbled");
  }
  [[gnu::noinline]] bool wrong_wire_type(Key key, WireType expected) {
    return reading_.fail(fmt::format("has protobuf wire type {}, expected {}",
                                     static_cast<unsigned>(key.wire_type),
                                     static_cast<unsigned>(expected)));
  }
  [[gnu::noinline]] bool not_utf8() { return reading_.fail("holds text that is not UTF-8"); }

  bool expect(Key key, WireType type) {
    return key.wire_type == type || wrong_wire_type(key, type);
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

  bool read_string(ProtobufCursor& message, std::string& text) {
    std::string_view bytes;
    if (!message.take_bytes(bytes)) {
      return malformed();
    }
    if (!is_utf8(bytes)) {
      return not_utf8();
    }
    store(bytes, text);
    return true;
  }

  // A string is nearly always read once, and making a new one is inlined where assigning is not.
  static void store(std::string_view bytes, std::string& text) {
    if (!bytes.empty() || !text.empty()) {
      text = std::string(bytes);
    }
  }

  bool take_bytes(ProtobufCursor& message, Key key, std::string_view& bytes) {
    return expect(key, WireType::kBytes) && (message.take_bytes(bytes) || malformed());
  }

  bool take_text(ProtobufCursor& message, Key key, std::string_view& text) {
    return take_bytes(message, key, text) && (is_utf8(text) || not_utf8());
  }

  bool take_int64(ProtobufCursor& message, Key key, std::int64_t& number) {
    std::uint64_t bits = 0;
    if (!expect(key, WireType::kVarint)) {
      return false;
    }
    if (!message.take_varint(bits)) {
      return malformed();
    }
    number = static_cast<std::int64_t>(bits);
    return true;
  }

  bool read_value(
      ProtobufCursor& message, Key key, const Type& type, void* place, const Mask* mask) {
    std::string_view bytes;
    switch (type.shape) {
      case Shape::kString:
        if (!take_text(message, key, bytes)) {
          return false;
        }
        store(bytes, *static_cast<std::string*>(place));
        return true;
      case Shape::kStruct:
        return take_bytes(message, key, bytes) && read_message(bytes, type.table(), place, mask);
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
        return take_int64(message, key, number) && store_number(number, type, place);
      }
      default:
        return take_bytes(message, key, bytes) && read_special(bytes, type, place);
    }
  }

  bool store_number(std::int64_t number, const Type& type, void* place) {
    if (type.shape == Shape::kBool) {
      *static_cast<bool*>(place) = number != 0;
    } else if (type.shape == Shape::kInt64) {
      *static_cast<std::int64_t*>(place) = number;
    } else {
      if (number < std::numeric_limits<std::int32_t>::min() ||
          number > std::numeric_limits<std::int32_t>::max()) {
        return reading_.fail(fmt::format("{} does not fit into 32 bits", number));
      }
      *static_cast<std::int32_t*>(place) = static_cast<std::int32_t>(number);
    }
    return true;
  }

  // A holder that was filled before is filled further, as protobuf wants of a repeated message.
  bool read_optional(
      ProtobufCursor& message, Key key, const Type& type, void* place, const Mask* mask) {
    const Shape shape = type.element->shape;
    if (shape == Shape::kTime || shape == Shape::kMicroTime) {
      std::string_view bytes;
      if (!take_bytes(message, key, bytes)) {
        return false;
      }
      // Go writes the zero time, which stands for "none", as an empty message.
      return bytes.empty() || read_special(bytes, *type.element, type.engage(place));
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
    if (!read_value(message, key, element, type.append(list), mask)) {
      return false;
    }
    reading_.leave();
    return true;
  }

  bool read_packed(ProtobufCursor& message, const Type& type, void* list) {
    std::string_view bytes;
    if (!message.take_bytes(bytes)) {
      return malformed();
    }
    ProtobufCursor numbers(bytes);
    while (!numbers.is_at_end()) {
      std::uint64_t bits = 0;
      if (!numbers.take_varint(bits)) {
        return malformed();
      }
      if (!reading_.spend(*type.element) ||
          !store_number(static_cast<std::int64_t>(bits), *type.element, type.append(list))) {
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
    if (!take_bytes(message, key, bytes) || !find_map_key(bytes, name) ||
        !reading_.spend(*type.element)) {
      return false;
    }
    bool is_new = false;
    void* value = type.insert(map, name, is_new);
    reading_.enter_key(name);
    ProtobufCursor entry(bytes);
    while (!entry.is_at_end()) {
      Key inner{};
      if (!entry.take_key(inner.number, inner.wire_type)) {
        return malformed();
      }
      if (inner.number != 2) {
        if (!entry.skip(inner.wire_type)) {
          return malformed();
        }
      } else if (!read_value(entry, inner, *type.element, value, mask)) {
        return false;
      }
    }
    reading_.leave();
    return true;
  }

  bool find_map_key(std::string_view bytes, std::string_view& name) {
    return for_each_field(bytes, [&](ProtobufCursor& entry, Key key) {
      return key.number == 1 ? take_text(entry, key, name) : skip(entry, key);
    });
  }

  bool skip(ProtobufCursor& message, Key key) { return message.skip(key.wire_type) || malformed(); }

  // Calls `read` behind each key of a message, until it returns false.
  template <typename Read>
  bool for_each_field(std::string_view bytes, const Read& read) {
    ProtobufCursor message(bytes);
    while (!message.is_at_end()) {
      Key key{};
      if (!message.take_key(key.number, key.wire_type)) {
        return malformed();
      }
      if (!read(message, key)) {
        return false;
      }
    }
    return true;
  }

  // The types that are more than what they look like on the wire.
  bool read_special(std::string_view bytes, const Type& type, void* place) {
    switch (type.shape) {
      case Shape::kBytes:
        static_cast<Bytes*>(place)->data.assign(bytes);
        return true;
      case Shape::kTime:
      case Shape::kMicroTime:
        return read_time(bytes, type, place);
      case Shape::kQuantity:
        return read_quantity(bytes, *static_cast<Quantity*>(place));
      case Shape::kIntOrString:
        return read_int_or_string(bytes, *static_cast<IntOrString*>(place));
      case Shape::kRawJson:
        return read_first_field(bytes, static_cast<RawJson*>(place)->text);
      case Shape::kEmbedded:
        return read_first_field(bytes, static_cast<Embedded*>(place)->data);
      default:
        return reading_.fail(ErrorCode::kInternal, "has a type the protobuf reader does not know");
    }
  }

  bool read_time(std::string_view bytes, const Type& type, void* place) {
    std::int64_t seconds = 0;
    std::int64_t nanos = 0;
    const bool is_read = for_each_field(bytes, [&](ProtobufCursor& message, Key key) {
      if (key.number > 2) {
        return skip(message, key);
      }
      return take_int64(message, key, key.number == 1 ? seconds : nanos);
    });
    if (!is_read) {
      return false;
    }
    constexpr std::int64_t kNanosMax = 999'999'999;
    if (seconds < kTimeMin.time_since_epoch().count() ||
        seconds > kTimeMax.time_since_epoch().count() || nanos < 0 || nanos > kNanosMax) {
      return reading_.fail(fmt::format("time {}.{:09} is out of range", seconds, nanos));
    }
    const Time whole{std::chrono::seconds{seconds}};
    if (type.shape == Shape::kTime) {
      *static_cast<Time*>(place) = whole;
    } else {
      *static_cast<MicroTime*>(place) = whole + std::chrono::microseconds{nanos / 1000};
    }
    return true;
  }

  bool read_quantity(std::string_view bytes, Quantity& quantity) {
    return for_each_field(bytes, [&](ProtobufCursor& message, Key key) {
      std::string_view text;
      if (key.number != 1) {
        return skip(message, key);
      }
      if (!take_text(message, key, text)) {
        return false;
      }
      if (Quantity::parse_into(text, quantity)) {
        return true;
      }
      const auto refused = Quantity::parse(text);
      return reading_.fail(fmt::format("'{}': {}", shown(text), refused.error().text()));
    });
  }

  bool read_int_or_string(std::string_view bytes, IntOrString& value) {
    std::int64_t type = 0;
    std::int64_t number = 0;
    std::string_view text;
    const bool is_read = for_each_field(bytes, [&](ProtobufCursor& message, Key key) {
      if (key.number > 3) {
        return skip(message, key);
      }
      if (key.number == 3) {
        return take_text(message, key, text);
      }
      return take_int64(message, key, key.number == 1 ? type : number);
    });
    if (!is_read) {
      return false;
    }
    if (type != 0) {
      value = std::string(text);
      return true;
    }
    return store_number(number, kType<std::int32_t>, &value.emplace<std::int32_t>());
  }

  bool read_first_field(std::string_view bytes, std::string& data) {
    return for_each_field(bytes, [&](ProtobufCursor& message, Key key) {
      std::string_view content;
      if (key.number != 1) {
        return skip(message, key);
      }
      if (!take_bytes(message, key, content)) {
        return false;
      }
      data.assign(content);
      return true;
    });
  }

  Reading& reading_;
};

}  // namespace

Result<void> read_protobuf(std::string_view message,
                           std::string_view kind,
                           const Table& table,
                           void* object,
                           const Mask* mask) {
  Reading reading(message.size());
  if (ProtobufReader(reading).read_message(message, table, object, mask)) {
    return {};
  }
  OnlyMetadata named;
  Reading ignored(message.size());
  // Best effort: the error is told with or without a name.
  static_cast<void>(
      ProtobufReader(ignored).read_message(message, OnlyMetadata::table(), &named, nullptr));
  return describe(reading, kind, table, object, named.metadata);
}

}  // namespace berth::api::codec
