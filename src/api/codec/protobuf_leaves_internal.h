// Reading the protobuf values that hold no others, and what every reader of a message needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json_text.h"
#include "api/codec/protobuf_cursor.h"
#include "api/codec/reading.h"
#include "api/int_or_string.h"
#include "api/quantity.h"
#include "api/type.h"

namespace berth::api::codec {

// Every function returns false when it fails, and has told `reading` why.
class ProtobufLeaves {
 public:
  struct Key {
    std::uint32_t number;
    WireType wire_type;
  };

  explicit ProtobufLeaves(Reading& reading) : reading_(reading) {}

  // What fails is told out of line, so that what succeeds is inlined.
  bool malformed();
  bool not_utf8();

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

  // `type` is a boolean or an integer.
  bool store_number(std::int64_t number, const Type& type, void* place);

  // The types that are more than what they look like on the wire.
  bool read(std::string_view bytes, const Type& type, void* place);

 private:
  bool expect(Key key, WireType type) {
    return key.wire_type == type || wrong_wire_type(key, type);
  }
  bool wrong_wire_type(Key key, WireType expected);

  bool read_time(std::string_view bytes, const Type& type, void* place);
  bool read_quantity(std::string_view bytes, Quantity& quantity);
  bool read_int_or_string(std::string_view bytes, IntOrString& value);
  bool read_first_field(std::string_view bytes, std::string& data);

  Reading& reading_;
};

}  // namespace berth::api::codec
