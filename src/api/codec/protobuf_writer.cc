#include <chrono>
#include <cstddef>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "api/codec/protobuf.h"
#include "api/int_or_string.h"
#include "api/quantity.h"
#include "api/table.h"
#include "api/time.h"
#include "api/type.h"
#include "base/assert.h"

namespace berth::api::codec {
namespace {

using protozero::pbf_writer;

// Writes what differs from the default; an optional value that is present is written even when it
// is empty. Go's decoders give absent fields the same defaults.
class ProtobufWriter {
 public:
  // `bytes` is what every writer below writes into.
  explicit ProtobufWriter(const std::string& bytes) : bytes_(bytes) {}

  void write_message(pbf_writer& message, const Table& table, const void* object) {
    for (const Field& field : table.fields()) {
      write_member(message, field.number, *field.type, field.in(object));
    }
  }

 private:
  void write_member(pbf_writer& message,
                    std::uint32_t number,
                    const Type& type,
                    const void* place) {
    switch (type.shape) {
      case Shape::kOptional:
      case Shape::kBox:
        if (const void* value = type.peek(place); value != nullptr) {
          write_value(message, number, *type.element, value);
        }
        return;
      case Shape::kList:
        for (std::size_t i = 0; i < type.count(place); ++i) {
          write_value(message, number, *type.element, type.at(place, i));
        }
        return;
      case Shape::kMap:
        for (std::size_t i = 0; i < type.count(place); ++i) {
          pbf_writer entry(message, number);
          entry.add_string(1, view(type.key_at(place, i)));
          write_member_or_default(entry, *type.element, type.at(place, i));
        }
        return;
      case Shape::kStruct: {
        // A nested message that stays empty takes itself back.
        pbf_writer nested(message, number);
        return write_message(nested, type.table(), place);
      }
      default:
        if (!is_default(type, place)) {
          write_value(message, number, type, place);
        }
    }
  }

  // The value of a map entry is always there.
  void write_member_or_default(pbf_writer& entry, const Type& type, const void* place) {
    if (type.shape == Shape::kOptional || type.shape == Shape::kBox || type.shape == Shape::kList) {
      write_member(entry, 2, type, place);
    } else {
      write_value(entry, 2, type, place);
    }
  }

  static bool is_default(const Type& type, const void* place) {
    switch (type.shape) {
      case Shape::kBool:
        return !*static_cast<const bool*>(place);
      case Shape::kInt32:
        return *static_cast<const std::int32_t*>(place) == 0;
      case Shape::kInt64:
        return *static_cast<const std::int64_t*>(place) == 0;
      case Shape::kString:
        return static_cast<const std::string*>(place)->empty();
      case Shape::kBytes:
        return static_cast<const Bytes*>(place)->data.empty();
      case Shape::kRawJson:
        return static_cast<const RawJson*>(place)->text.empty();
      case Shape::kEmbedded:
        return static_cast<const Embedded*>(place)->data.empty();
      case Shape::kQuantity:
        return *static_cast<const Quantity*>(place) == Quantity{};
      default:
        return false;
    }
  }

  void write_value(pbf_writer& message, std::uint32_t number, const Type& type, const void* place) {
    switch (type.shape) {
      case Shape::kBool:
        return message.add_bool(number, *static_cast<const bool*>(place));
      case Shape::kInt32:
        return message.add_int32(number, *static_cast<const std::int32_t*>(place));
      case Shape::kInt64:
        return message.add_int64(number, *static_cast<const std::int64_t*>(place));
      case Shape::kString:
        return message.add_string(number, *static_cast<const std::string*>(place));
      case Shape::kBytes:
        return message.add_bytes(number, static_cast<const Bytes*>(place)->data);
      case Shape::kTime:
        return write_time(message, number, *static_cast<const Time*>(place));
      case Shape::kMicroTime:
        return write_time(message, number, *static_cast<const MicroTime*>(place));
      case Shape::kQuantity: {
        pbf_writer nested(message, number);
        return nested.add_string(1, static_cast<const Quantity*>(place)->to_string());
      }
      case Shape::kIntOrString:
        return write_int_or_string(message, number, *static_cast<const IntOrString*>(place));
      case Shape::kRawJson: {
        pbf_writer nested(message, number);
        return nested.add_bytes(1, static_cast<const RawJson*>(place)->text);
      }
      case Shape::kEmbedded: {
        pbf_writer nested(message, number);
        return nested.add_bytes(1, static_cast<const Embedded*>(place)->data);
      }
      case Shape::kStruct:
        return write_present(message, number, type.table(), place);
      case Shape::kOptional:
      case Shape::kBox:
      case Shape::kList:
      case Shape::kMap:
        BERTH_ASSERT(false, "Kubernetes nests no containers in containers");
    }
  }

  // A struct that is there, be it empty.
  void write_present(pbf_writer& message,
                     std::uint32_t number,
                     const Table& table,
                     const void* place) {
    bool is_empty = true;
    {
      pbf_writer nested(message, number);
      const std::size_t before = bytes_.size();
      write_message(nested, table, place);
      is_empty = bytes_.size() == before;
    }
    if (is_empty) {
      message.add_message(number, std::string{});
    }
  }

  static void write_time(pbf_writer& message, std::uint32_t number, MicroTime time) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(time);
    pbf_writer nested(message, number);
    // Written even when zero: an empty message stands for no time at all.
    nested.add_int64(1, whole.time_since_epoch().count());
    nested.add_int32(2, static_cast<std::int32_t>((time - whole).count() * 1000));
  }

  static void write_int_or_string(pbf_writer& message,
                                  std::uint32_t number,
                                  const IntOrString& value) {
    pbf_writer nested(message, number);
    if (const auto* text = std::get_if<std::string>(&value); text != nullptr) {
      nested.add_int64(1, 1);
      nested.add_string(3, *text);
    } else {
      nested.add_int64(1, 0);
      nested.add_int32(2, std::get<std::int32_t>(value));
    }
  }

  static protozero::data_view view(std::string_view text) { return {text.data(), text.size()}; }

  const std::string& bytes_;
};

}  // namespace

std::string write_protobuf(const Table& table, const void* object) {
  std::string bytes;
  pbf_writer message(bytes);
  ProtobufWriter(bytes).write_message(message, table, object);
  return bytes;
}

}  // namespace berth::api::codec
