#include <fmt/format.h>
#include <simdjson.h>
#include <string.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "api/base64.h"
#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/json_walk_internal.h"
#include "api/codec/reading.h"
#include "api/int_or_string.h"
#include "api/mask.h"
#include "api/members.h"
#include "api/quantity.h"
#include "api/table.h"
#include "api/time.h"
#include "api/type.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::api::codec {
namespace {

namespace ondemand = simdjson::ondemand;

class ObjectReader {
 public:
  ObjectReader(Reading& reading, const Expected& expected)
      : reading_(reading), expected_(expected) {}

  bool read_document(ondemand::document& document,
                     const Table& table,
                     void* object,
                     const Mask* mask) {
    ondemand::value value;
    if (const auto error = document.get_value().get(value); error != simdjson::SUCCESS) {
      return error == simdjson::SCALAR_DOCUMENT_AS_VALUE ? reading_.fail("expected an object")
                                                         : fail(error);
    }
    if (!read_struct(value, table, object, mask, true)) {
      return false;
    }
    return is_at_end(document) || reading_.fail("more text follows the JSON value");
  }

 private:
  bool fail(simdjson::error_code error) { return reading_.fail(describe_json_error(error)); }

  // Fails with what was expected, or with the reason the value is no JSON at all.
  bool wrong_type(simdjson::error_code error, std::string_view expected) {
    if (error == simdjson::INCORRECT_TYPE || error == simdjson::NUMBER_ERROR ||
        error == simdjson::NUMBER_OUT_OF_RANGE) {
      return reading_.fail(fmt::format("expected {}", expected));
    }
    return fail(error);
  }

  bool read_struct(ondemand::value& value,
                   const Table& table,
                   void* object,
                   const Mask* mask,
                   bool is_root = false) {
    ondemand::object fields;
    if (const auto error = value.get_object().get(fields); error != simdjson::SUCCESS) {
      return wrong_type(error, "an object");
    }
    Names names(table);
    for (auto entry : fields) {
      ondemand::field field;
      if (const auto error = std::move(entry).get(field); error != simdjson::SUCCESS) {
        return fail(error);
      }
      std::string_view key;
      if (!take_key(field, key)) {
        return false;
      }
      const Table::JsonName* name = names.find(key);
      if (name == nullptr) {
        if (!read_unknown(key, field.value(), is_root)) {
          return false;
        }
        continue;
      }
      reading_.enter(name->name);
      if (!names.mark(*name)) {
        return reading_.fail("stands twice in the same object");
      }
      if (!read_member(field.value(), table, *name, object, mask)) {
        return false;
      }
      reading_.leave();
    }
    return true;
  }

  // The names of one object while it is read: which came already and which probably comes next.
  class Names {
   public:
    explicit Names(const Table& table) : names_(table.json_names()) {}

    const Table::JsonName* find(std::string_view key) {
      // Servers write members in the order of the table, leaving some out.
      for (std::size_t i = next_; i < names_.size(); ++i) {
        if (names_[i].name == key) {
          next_ = i + 1;
          return &names_[i];
        }
      }
      for (std::size_t i = 0; i < next_; ++i) {
        if (names_[i].name == key) {
          return &names_[i];
        }
      }
      return nullptr;
    }

    // False when the name was there before.
    bool mark(const Table::JsonName& name) {
      const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(&name - names_.data());
      const bool is_new = (seen_ & bit) == 0;
      seen_ |= bit;
      return is_new;
    }

   private:
    std::span<const Table::JsonName> names_;
    std::size_t next_ = 0;
    std::uint64_t seen_ = 0;
  };

  bool take_key(ondemand::field& field, std::string_view& key) {
    const char* raw = field.key().raw();
    // The parser has seen that the key is closed, so there is a quote.
    const auto* quote = static_cast<const char*>(::rawmemchr(raw, '"'));
    key = {raw, static_cast<std::size_t>(quote - raw)};
    if (key.find('\\') == std::string_view::npos) {
      return true;
    }
    if (const auto error = field.unescaped_key().get(key); error != simdjson::SUCCESS) {
      return fail(error);
    }
    return true;
  }

  bool read_unknown(std::string_view key, ondemand::value& value, bool is_root) {
    reading_.enter(key);
    if (is_root && (key == "kind" || key == "apiVersion")) {
      if (!read_type_name(value, key == "kind" ? expected_.kind : expected_.api_version)) {
        return false;
      }
    } else if (!walk(value)) {
      return false;
    }
    reading_.leave();
    return true;
  }

  bool read_type_name(ondemand::value& value, const std::string& expected) {
    std::string_view text;
    if (const auto error = value.get_string().get(text); error != simdjson::SUCCESS) {
      return wrong_type(error, "a string");
    }
    return expected.empty() || text == expected ||
           reading_.fail(fmt::format("is '{}', expected '{}'", shown(text), expected));
  }

  bool walk(ondemand::value& value) {
    const auto error = walk_json(value, kDepthMax);
    return error.empty() || reading_.fail(error);
  }

  bool read_member(ondemand::value& value,
                   const Table& table,
                   const Table::JsonName& name,
                   void* object,
                   const Mask* mask) {
    const Mask* inner = mask;
    if (inner != nullptr && name.inlined_in != nullptr) {
      const std::size_t outer = table.index_of(*name.inlined_in);
      if (!inner->keeps(outer)) {
        return walk(value);
      }
      inner = inner->child(outer);
    }
    if (inner != nullptr) {
      const Table& owner = name.inlined_in != nullptr ? name.inlined_in->type->table() : table;
      const std::size_t index = owner.index_of(*name.field);
      if (!inner->keeps(index)) {
        return walk(value);
      }
      inner = inner->child(index);
    }
    return read_value(value, *name.field->type, static_cast<char*>(object) + name.offset, inner);
  }

  bool read_value(ondemand::value& value, const Type& type, void* place, const Mask* mask) {
    bool is_null = false;
    // An error here is a token that only starts like null; reading it as what it should be tells.
    if (value.is_null().get(is_null) == simdjson::SUCCESS && is_null) {
      return true;  // as if the member were not there
    }
    switch (type.shape) {
      case Shape::kString:
        return read_string(value, *static_cast<std::string*>(place));
      case Shape::kStruct:
        return read_struct(value, type.table(), place, mask);
      case Shape::kList:
        return read_list(value, type, place, mask);
      case Shape::kMap:
        return read_map(value, type, place, mask);
      case Shape::kBox:
        return reading_.spend(*type.element) &&
               read_value(value, *type.element, type.engage(place), mask);
      case Shape::kOptional:
        return read_value(value, *type.element, type.engage(place), mask);
      case Shape::kBool:
        return read_bool(value, *static_cast<bool*>(place));
      case Shape::kInt32:
        return read_int32(value, *static_cast<std::int32_t*>(place));
      case Shape::kInt64:
        return read_int64(value, *static_cast<std::int64_t*>(place));
      default:
        return read_special(value, type, place);
    }
  }

  bool take_string(ondemand::value& value, std::string_view& text) {
    const auto error = value.get_string().get(text);
    return error == simdjson::SUCCESS || wrong_type(error, "a string");
  }

  bool read_string(ondemand::value& value, std::string& text) {
    std::string_view read;
    if (!take_string(value, read)) {
      return false;
    }
    text.assign(read);
    return true;
  }

  bool read_bool(ondemand::value& value, bool& place) {
    const auto error = value.get_bool().get(place);
    return error == simdjson::SUCCESS || wrong_type(error, "true or false");
  }

  bool read_int64(ondemand::value& value, std::int64_t& place) {
    const auto error = value.get_int64().get(place);
    return error == simdjson::SUCCESS || wrong_type(error, "a 64-bit integer");
  }

  bool read_int32(ondemand::value& value, std::int32_t& place) {
    std::int64_t number = 0;
    const auto error = value.get_int64().get(number);
    if (error != simdjson::SUCCESS || number < std::numeric_limits<std::int32_t>::min() ||
        number > std::numeric_limits<std::int32_t>::max()) {
      return wrong_type(error == simdjson::SUCCESS ? simdjson::NUMBER_OUT_OF_RANGE : error,
                        "a 32-bit integer");
    }
    place = static_cast<std::int32_t>(number);
    return true;
  }

  bool read_list(ondemand::value& value, const Type& type, void* list, const Mask* mask) {
    ondemand::array elements;
    if (const auto error = value.get_array().get(elements); error != simdjson::SUCCESS) {
      return wrong_type(error, "a list");
    }
    for (auto entry : elements) {
      reading_.enter(type.count(list));
      ondemand::value element;
      if (const auto error = std::move(entry).get(element); error != simdjson::SUCCESS) {
        return fail(error);
      }
      if (!reading_.spend(*type.element) ||
          !read_value(element, *type.element, type.append(list), mask)) {
        return false;
      }
      reading_.leave();
    }
    return true;
  }

  bool read_map(ondemand::value& value, const Type& type, void* map, const Mask* mask) {
    ondemand::object entries;
    if (const auto error = value.get_object().get(entries); error != simdjson::SUCCESS) {
      return wrong_type(error, "an object");
    }
    for (auto entry : entries) {
      ondemand::field field;
      if (const auto error = std::move(entry).get(field); error != simdjson::SUCCESS) {
        return fail(error);
      }
      std::string_view key;
      if (!take_key(field, key)) {
        return false;
      }
      reading_.enter_key(key);
      bool is_new = false;
      if (!reading_.spend(*type.element)) {
        return false;
      }
      void* member = type.insert(map, key, is_new);
      if (!is_new) {
        return reading_.fail("stands twice in the same object");
      }
      if (!read_value(field.value(), *type.element, member, mask)) {
        return false;
      }
      reading_.leave();
    }
    return true;
  }

  bool read_special(ondemand::value& value, const Type& type, void* place) {
    switch (type.shape) {
      case Shape::kBytes:
        return read_bytes(value, *static_cast<Bytes*>(place));
      case Shape::kTime:
      case Shape::kMicroTime:
        return read_time(value, type, place);
      case Shape::kQuantity:
        return read_quantity(value, *static_cast<Quantity*>(place));
      case Shape::kIntOrString:
        return read_int_or_string(value, *static_cast<IntOrString*>(place));
      case Shape::kRawJson:
        return read_raw(value, static_cast<RawJson*>(place)->text);
      case Shape::kEmbedded:
        return read_raw(value, static_cast<Embedded*>(place)->data);
      default:
        return reading_.fail(ErrorCode::kInternal, "has a type the JSON reader does not know");
    }
  }

  bool read_bytes(ondemand::value& value, Bytes& bytes) {
    std::string_view text;
    if (!take_string(value, text)) {
      return false;
    }
    auto decoded = from_base64(text);
    if (!decoded) {
      return reading_.fail("is not base64");
    }
    bytes.data = *std::move(decoded);
    return true;
  }

  bool read_time(ondemand::value& value, const Type& type, void* place) {
    std::string_view text;
    if (!take_string(value, text)) {
      return false;
    }
    const auto time = parse_time(text);
    if (!time) {
      return reading_.fail(time.error().text());
    }
    if (type.shape == Shape::kMicroTime) {
      *static_cast<MicroTime*>(place) = *time;
    } else {
      *static_cast<Time*>(place) = std::chrono::floor<std::chrono::seconds>(*time);
    }
    return true;
  }

  // A string, or a bare number as people write it in YAML.
  bool read_quantity(ondemand::value& value, Quantity& quantity) {
    std::string_view text;
    if (const auto error = value.get_string().get(text); error != simdjson::SUCCESS) {
      const auto number = number_text(value);
      if (!number) {
        return wrong_type(error, "a quantity");
      }
      text = *number;
    }
    auto parsed = Quantity::parse(trimmed(text));
    if (!parsed) {
      return reading_.fail(fmt::format("'{}': {}", shown(text), parsed.error().text()));
    }
    quantity = *std::move(parsed);
    return true;
  }

  bool read_int_or_string(ondemand::value& value, IntOrString& place) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type); error != simdjson::SUCCESS) {
      return fail(error);
    }
    if (type == ondemand::json_type::string) {
      return read_string(value, place.emplace<std::string>());
    }
    std::int64_t number = 0;
    const auto error = value.get_int64().get(number);
    if (error != simdjson::SUCCESS || number < std::numeric_limits<std::int32_t>::min() ||
        number > std::numeric_limits<std::int32_t>::max()) {
      return wrong_type(simdjson::INCORRECT_TYPE, "a 32-bit integer or a string");
    }
    place = static_cast<std::int32_t>(number);
    return true;
  }

  bool read_raw(ondemand::value& value, std::string& text) {
    const auto wrong = take_raw_json(value, kDepthMax, text);
    return wrong.empty() || reading_.fail(wrong);
  }

  Reading& reading_;
  const Expected& expected_;
};

// Buffers that grew beyond this (a list of many objects) are given back after use.
constexpr std::size_t kKeptMax = std::size_t{4} << 20;

}  // namespace

struct JsonReader::Buffers {
  ondemand::parser parser;
  std::string text;

  bool read(std::size_t size,
            const Expected& expected,
            const Table& table,
            void* object,
            const Mask* mask,
            Reading& reading) {
    ondemand::document document;
    const auto error = parser.iterate(text.data(), size, text.size()).get(document);
    if (error != simdjson::SUCCESS) {
      return reading.fail(describe_json_error(error));
    }
    return ObjectReader(reading, expected).read_document(document, table, object, mask);
  }
};

JsonReader::JsonReader() : buffers_(std::make_unique<Buffers>()) {}
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;
JsonReader::~JsonReader() = default;

Result<void> JsonReader::read(std::string_view text,
                              const Expected& expected,
                              const Table& table,
                              void* object,
                              const Mask* mask) {
  buffers_->text.assign(text);
  buffers_->text.append(simdjson::SIMDJSON_PADDING, '\0');
  Reading reading(text.size());
  Result<void> result;
  if (!buffers_->read(text.size(), expected, table, object, mask, reading)) {
    OnlyMetadata named;
    Reading ignored(text.size());
    // Best effort: the error is told with or without a name.
    static_cast<void>(
        buffers_->read(text.size(), Expected{}, OnlyMetadata::table(), &named, nullptr, ignored));
    result = describe(reading, expected.kind, table, object, named.metadata);
  }
  if (text.size() > kKeptMax) {
    buffers_ = std::make_unique<Buffers>();
  }
  return result;
}

}  // namespace berth::api::codec
