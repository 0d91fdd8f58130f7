#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <variant>

#include "api/base64.h"
#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/json_text.h"
#include "api/int_or_string.h"
#include "api/quantity.h"
#include "api/table.h"
#include "api/time.h"
#include "api/type.h"

namespace berth::api::codec {
namespace {

// Writes what differs from the default, in the order of the tables, without white space. An
// optional value that is present is written even when it is empty.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void write_object(const Expected& expected, const Table& table, const void* object) {
    out_ += '{';
    write_type_name("apiVersion", expected.api_version);
    write_type_name("kind", expected.kind);
    write_members(table, object);
    close('}');
  }

 private:
  void write_type_name(std::string_view name, const std::string& value) {
    if (!value.empty()) {
      write_name(name);
      append_json_string(out_, value);
      out_ += ',';
    }
  }

  // Every member ends with a comma; closing takes the last one back.
  void close(char bracket) {
    if (out_.back() == ',') {
      out_.back() = bracket;
    } else {
      out_ += bracket;
    }
  }

  void write_name(std::string_view name) {
    append_json_string(out_, name);
    out_ += ':';
  }

  void write_members(const Table& table, const void* object) {
    for (const Field& field : table.fields()) {
      if (field.is_inlined()) {
        write_members(field.type->table(), field.in(object));
      } else {
        write_member(field, field.in(object));
      }
    }
  }

  void write_member(const Field& field, const void* place) {
    const std::size_t start = out_.size();
    write_name(field.json_name);
    if (write_unless_default(*field.type, place)) {
      out_ += ',';
    } else {
      out_.resize(start);
    }
  }

  // False when there was nothing to write.
  bool write_unless_default(const Type& type, const void* place) {
    switch (type.shape) {
      case Shape::kOptional:
      case Shape::kBox: {
        const void* value = type.peek(place);
        if (value != nullptr) {
          write_value(*type.element, value);
        }
        return value != nullptr;
      }
      case Shape::kStruct: {
        const std::size_t start = out_.size();
        write_value(type, place);
        return out_.size() - start > 2;  // more than {}
      }
      case Shape::kList:
      case Shape::kMap:
        if (type.count(place) == 0) {
          return false;
        }
        break;
      case Shape::kBool:
        if (!*static_cast<const bool*>(place)) {
          return false;
        }
        break;
      case Shape::kInt32:
        if (*static_cast<const std::int32_t*>(place) == 0) {
          return false;
        }
        break;
      case Shape::kInt64:
        if (*static_cast<const std::int64_t*>(place) == 0) {
          return false;
        }
        break;
      case Shape::kQuantity:
        if (*static_cast<const Quantity*>(place) == Quantity{}) {
          return false;
        }
        break;
      default:
        if (is_empty_text(type, place)) {
          return false;
        }
    }
    write_value(type, place);
    return true;
  }

  static bool is_empty_text(const Type& type, const void* place) {
    switch (type.shape) {
      case Shape::kString:
        return static_cast<const std::string*>(place)->empty();
      case Shape::kBytes:
        return static_cast<const Bytes*>(place)->data.empty();
      case Shape::kRawJson:
        return static_cast<const RawJson*>(place)->text.empty();
      case Shape::kEmbedded:
        return static_cast<const Embedded*>(place)->data.empty();
      default:
        return false;
    }
  }

  void write_value(const Type& type, const void* place) {
    switch (type.shape) {
      case Shape::kBool:
        out_ += *static_cast<const bool*>(place) ? "true" : "false";
        return;
      case Shape::kInt32:
        fmt::format_to(std::back_inserter(out_), "{}", *static_cast<const std::int32_t*>(place));
        return;
      case Shape::kInt64:
        fmt::format_to(std::back_inserter(out_), "{}", *static_cast<const std::int64_t*>(place));
        return;
      case Shape::kStruct:
        out_ += '{';
        write_members(type.table(), place);
        close('}');
        return;
      case Shape::kList:
        out_ += '[';
        for (std::size_t i = 0; i < type.count(place); ++i) {
          write_value(*type.element, type.at(place, i));
          out_ += ',';
        }
        close(']');
        return;
      case Shape::kMap:
        out_ += '{';
        for (std::size_t i = 0; i < type.count(place); ++i) {
          write_name(type.key_at(place, i));
          write_value(*type.element, type.at(place, i));
          out_ += ',';
        }
        close('}');
        return;
      case Shape::kOptional:
      case Shape::kBox:
        if (const void* value = type.peek(place); value != nullptr) {
          write_value(*type.element, value);
        } else {
          out_ += "null";
        }
        return;
      default:
        write_text(type, place);
    }
  }

  void write_text(const Type& type, const void* place) {
    switch (type.shape) {
      case Shape::kString:
        return append_json_string(out_, *static_cast<const std::string*>(place));
      case Shape::kBytes:
        return append_json_string(out_, to_base64(static_cast<const Bytes*>(place)->data));
      case Shape::kTime:
        return append_json_string(out_, to_text(*static_cast<const Time*>(place)));
      case Shape::kMicroTime:
        return append_json_string(out_, to_text(*static_cast<const MicroTime*>(place)));
      case Shape::kQuantity:
        return append_json_string(out_, static_cast<const Quantity*>(place)->to_string());
      case Shape::kIntOrString: {
        const auto& value = *static_cast<const IntOrString*>(place);
        if (const auto* text = std::get_if<std::string>(&value); text != nullptr) {
          return append_json_string(out_, *text);
        }
        return write_value(kType<std::int32_t>, &std::get<std::int32_t>(value));
      }
      case Shape::kRawJson:
        return write_raw(static_cast<const RawJson*>(place)->text);
      case Shape::kEmbedded:
        out_ += static_cast<const Embedded*>(place)->data;
        return;
      default:
        return;  // every other shape is written by write_value
    }
  }

  // What came as protobuf was not looked into, and what is written must be JSON: anything else goes
  // out as a string that holds it.
  void write_raw(const std::string& text) {
    if (is_json(text)) {
      out_ += text;
    } else {
      append_json_string(out_, text);
    }
  }

  std::string& out_;
};

}  // namespace

std::string write_json(const Expected& expected, const Table& table, const void* object) {
  std::string out;
  JsonWriter(out).write_object(expected, table, object);
  return out;
}

}  // namespace berth::api::codec
