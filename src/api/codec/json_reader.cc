#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/json_items.h"
#include "api/codec/json_leaves_internal.h"
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
      : reading_(reading), leaves_(reading), expected_(expected) {}

  bool read_document(ondemand::document& document,
                     const Table& table,
                     void* object,
                     const Mask* mask) {
    ondemand::value value;
    if (const auto error = document.get_value().get(value); error != simdjson::SUCCESS) {
      return error == simdjson::SCALAR_DOCUMENT_AS_VALUE ? reading_.fail("expected an object")
                                                         : leaves_.fail(error);
    }
    if (!read_struct(value, table, object, mask, true)) {
      return false;
    }
    return is_at_end(document) || reading_.fail("more text follows the JSON value");
  }

 private:
  bool read_struct(ondemand::value& value,
                   const Table& table,
                   void* object,
                   const Mask* mask,
                   bool is_root = false) {
    ondemand::object fields;
    if (const auto error = value.get_object().get(fields); error != simdjson::SUCCESS) {
      return leaves_.wrong_type(error, "an object");
    }
    Names names(table);
    for (auto entry : fields) {
      ondemand::field field;
      if (const auto error = std::move(entry).get(field); error != simdjson::SUCCESS) {
        return leaves_.fail(error);
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
    simdjson::error_code error{};
    return take_json_key(field, key, error) || leaves_.fail(error);
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
      return leaves_.wrong_type(error, "a string");
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
      default:
        return leaves_.read(value, type, place);
    }
  }

  bool read_list(ondemand::value& value, const Type& type, void* list, const Mask* mask) {
    ondemand::array elements;
    if (const auto error = value.get_array().get(elements); error != simdjson::SUCCESS) {
      return leaves_.wrong_type(error, "a list");
    }
    for (auto entry : elements) {
      reading_.enter(type.count(list));
      ondemand::value element;
      if (const auto error = std::move(entry).get(element); error != simdjson::SUCCESS) {
        return leaves_.fail(error);
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
      return leaves_.wrong_type(error, "an object");
    }
    for (auto entry : entries) {
      ondemand::field field;
      if (const auto error = std::move(entry).get(field); error != simdjson::SUCCESS) {
        return leaves_.fail(error);
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

  Reading& reading_;
  JsonLeaves leaves_;
  const Expected& expected_;
};

// Buffers that grew beyond this are given back after use.
constexpr std::size_t kKeptMax = std::size_t{4} << 20;

// The list of objects a table calls "items", or nullptr.
const Table::JsonName* items_of(const Table& table) {
  for (const Table::JsonName& name : table.json_names()) {
    const Type& type = *name.field->type;
    if (name.name == "items" && type.shape == Shape::kList &&
        type.element->shape == Shape::kStruct && name.inlined_in == nullptr) {
      return &name;
    }
  }
  return nullptr;
}

}  // namespace

struct JsonReader::Buffers {
  ondemand::parser parser;
  std::string text;

  bool read(std::string_view json,
            const Expected& expected,
            const Table& table,
            void* object,
            const Mask* mask,
            Reading& reading) {
    const Table::JsonName* items = items_of(table);
    const auto cut = items == nullptr ? std::nullopt : cut_json_items(json);
    if (!cut) {
      return read_whole(json, expected, table, object, mask, reading);
    }
    return read_whole(cut->envelope, expected, table, object, mask, reading) &&
           read_items(cut->items, table, *items->field, object, mask, reading);
  }

 private:
  bool read_items(std::span<const std::string_view> items,
                  const Table& table,
                  const Field& field,
                  void* object,
                  const Mask* mask,
                  Reading& reading) {
    const std::size_t index = table.index_of(field);
    if (mask != nullptr && !mask->keeps(index)) {
      // Valid JSON all the same, or the text is refused.
      return std::ranges::all_of(items, [&](std::string_view item) {
        OnlyMetadata ignored;
        return read_whole(item, Expected{}, OnlyMetadata::table(), &ignored, nullptr, reading);
      });
    }
    const Type& element = *field.type->element;
    void* list = field.in(object);
    field.type->reserve(list, reading.affordable(element, items.size()));
    reading.enter(field.json_name);
    for (std::size_t i = 0; i < items.size(); ++i) {
      reading.enter(i);
      if (!reading.spend(element) || !read_whole(items[i],
                                                 Expected{},
                                                 element.table(),
                                                 field.type->append(list),
                                                 mask == nullptr ? nullptr : mask->child(index),
                                                 reading)) {
        return false;
      }
      reading.leave();
    }
    reading.leave();
    return true;
  }

  bool read_whole(std::string_view json,
                  const Expected& expected,
                  const Table& table,
                  void* object,
                  const Mask* mask,
                  Reading& reading) {
    text.assign(json);
    text.append(simdjson::SIMDJSON_PADDING, '\0');
    ondemand::document document;
    const auto error = parser.iterate(text.data(), json.size(), text.size()).get(document);
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
  Reading reading(text.size());
  Result<void> result;
  if (!buffers_->read(text, expected, table, object, mask, reading)) {
    OnlyMetadata named;
    Reading ignored(text.size());
    // Best effort: the error is told with or without a name.
    static_cast<void>(
        buffers_->read(text, Expected{}, OnlyMetadata::table(), &named, nullptr, ignored));
    result = describe(reading, expected.kind, table, object, named.metadata);
  }
  if (buffers_->text.capacity() > kKeptMax) {
    buffers_ = std::make_unique<Buffers>();
  }
  return result;
}

}  // namespace berth::api::codec
