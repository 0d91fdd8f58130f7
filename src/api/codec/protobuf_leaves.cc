#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "api/codec/protobuf_cursor.h"
#include "api/codec/protobuf_leaves_internal.h"
#include "api/int_or_string.h"
#include "api/members.h"
#include "api/quantity.h"
#include "api/rules/quoted.h"
#include "api/time.h"
#include "api/type.h"
#include "base/error.h"

namespace berth::api::codec {

bool ProtobufLeaves::malformed() {
  return reading_.fail("malformed protobuf: it ends too early or is garbled");
}

bool ProtobufLeaves::not_utf8() {
  return reading_.fail("holds text that is not UTF-8");
}

bool ProtobufLeaves::wrong_wire_type(Key key, WireType expected) {
  return reading_.fail(fmt::format("has protobuf wire type {}, expected {}",
                                   static_cast<unsigned>(key.wire_type),
                                   static_cast<unsigned>(expected)));
}

bool ProtobufLeaves::store_number(std::int64_t number, const Type& type, void* place) {
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

bool ProtobufLeaves::read(std::string_view bytes, const Type& type, void* place) {
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

bool ProtobufLeaves::read_time(std::string_view bytes, const Type& type, void* place) {
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

bool ProtobufLeaves::read_quantity(std::string_view bytes, Quantity& quantity) {
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
    return reading_.fail(refused.error().code(),
                         fmt::format("'{}': {}", shown(text), refused.error().text()));
  });
}

bool ProtobufLeaves::read_int_or_string(std::string_view bytes, IntOrString& value) {
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

bool ProtobufLeaves::read_first_field(std::string_view bytes, std::string& data) {
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

}  // namespace berth::api::codec
