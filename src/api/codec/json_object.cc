#include <fmt/format.h>
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "api/codec/json_leaves_internal.h"
#include "api/codec/json_object_internal.h"
#include "api/codec/json_walk_internal.h"
#include "api/codec/reading.h"
#include "api/late_entries.h"
#include "api/mask.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "api/type.h"

namespace berth::api::codec {
namespace {

namespace ondemand = simdjson::ondemand;

class ObjectReader {
 public:
  explicit ObjectReader(Reading& reading) : reading_(reading), leaves_(reading) {}

  bool read_struct(ondemand::value& value,
                   const Table& table,
                   void* object,
                   const Mask* mask,
                   const TypeNames* names) {
    ondemand::object fields;
    if (const auto error = value.get_object().get(fields); error != simdjson::SUCCESS) {
      return leaves_.wrong_type(error, "an object");
    }
    Members members(table);
    for (auto entry : fields) {
      ondemand::field field;
      if (const auto error = std::move(entry).get(field); error != simdjson::SUCCESS) {
        return leaves_.fail(error);
      }
      std::string_view key;
      if (!take_key(field, key)) {
        return false;
      }
      const Table::JsonName* name = members.find(key);
      if (name == nullptr) {
        if (is_type_name(key, names) && !members.mark_type_name(key)) {
          reading_.enter(key);
          return reading_.fail("stands twice in the same object");
        }
        if (!read_unknown(key, field.value(), names)) {
          return false;
        }
        continue;
      }
      reading_.enter(name->name);
      if (!members.mark(*name)) {
        return reading_.fail("stands twice in the same object");
      }
      const TypeNames* inner = names != nullptr && is_items(*name->field) ? names->items : nullptr;
      if (!read_member(field.value(), table, *name, object, mask, inner)) {
        return false;
      }
      reading_.leave();
    }
    return true;
  }

 private:
  // The names of one object while it is read: which came already and which probably comes next.
  class Members {
   public:
    explicit Members(const Table& table) : names_(table.json_names()) {}

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
    bool mark_type_name(std::string_view key) {
      return !std::exchange(key == "kind" ? has_kind_ : has_api_version_, true);
    }

   private:
    std::span<const Table::JsonName> names_;
    std::size_t next_ = 0;
    std::uint64_t seen_ = 0;
    bool has_kind_ = false;
    bool has_api_version_ = false;
  };

  // "kind" or "apiVersion" of an object that has them.
  static bool is_type_name(std::string_view key, const TypeNames* names) {
    return names != nullptr && (key == "kind" || key == "apiVersion");
  }

  bool take_key(ondemand::field& field, std::string_view& key) {
    simdjson::error_code error{};
    return take_json_key(field, key, error) || leaves_.fail(error);
  }

  bool read_unknown(std::string_view key, ondemand::value& value, const TypeNames* names) {
    reading_.enter(key);
    const bool is_read =
        is_type_name(key, names)
            ? read_type_name(value, key == "kind" ? names->kind : names->api_version)
            : walk(value);
    reading_.leave();
    return is_read;
  }

  bool read_type_name(ondemand::value& value, std::string_view expected) {
    if (is_null(value)) {
      return true;
    }
    std::string_view text;
    if (const auto error = value.get_string().get(text); error != simdjson::SUCCESS) {
      return leaves_.wrong_type(error, "a string");
    }
    return expected.empty() || text == expected ||
           reading_.fail(fmt::format("is '{}', expected '{}'", shown(text), expected));
  }

  bool walk(ondemand::value& value) { return walk_json(value, kDepthMax, reading_); }

  // An error here is a token that only starts like null; reading it as what it should be tells.
  static bool is_null(ondemand::value& value) {
    bool is_null = false;
    return value.is_null().get(is_null) == simdjson::SUCCESS && is_null;
  }

  bool read_member(ondemand::value& value,
                   const Table& table,
                   const Table::JsonName& name,
                   void* object,
                   const Mask* mask,
                   const TypeNames* names) {
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
    void* place = static_cast<char*>(object) + name.offset;
    return read_value(value, *name.field->type, place, inner, names);
  }

  bool read_value(ondemand::value& value,
                  const Type& type,
                  void* place,
                  const Mask* mask,
                  const TypeNames* names = nullptr) {
    if (is_null(value)) {
      return true;  // as if the member were not there
    }
    switch (type.shape) {
      case Shape::kStruct:
        return read_struct(value, type.table(), place, mask, names);
      case Shape::kList:
        return read_list(value, type, place, mask, names);
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

  bool read_list(ondemand::value& value,
                 const Type& type,
                 void* list,
                 const Mask* mask,
                 const TypeNames* names) {
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
          !read_value(element, *type.element, type.append(list), mask, names)) {
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
    std::unique_ptr<LateEntries> late;
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
      if (!reading_.spend_entry(*type.element)) {
        return false;
      }
      void* member = type.append_entry(map, key);
      if (member == nullptr) {
        if (late == nullptr) {
          late = type.late_entries(map);
        }
        member = late->add(key);
      }
      if (!read_value(field.value(), *type.element, member, mask)) {
        return false;
      }
      reading_.leave();
    }
    const auto repeated = late == nullptr ? std::nullopt : late->merge();
    if (repeated) {
      reading_.enter_key(*repeated);
      return reading_.fail("stands twice in the same object");
    }
    return true;
  }

  Reading& reading_;
  JsonLeaves leaves_;
};

// The value of the document, whatever it is.
bool take_value(ondemand::document& document, ondemand::value& value, Reading& reading) {
  const auto error = document.get_value().get(value);
  if (error == simdjson::SCALAR_DOCUMENT_AS_VALUE) {
    return reading.fail("expected an object");
  }
  return error == simdjson::SUCCESS || fail_json(reading, error);
}

bool expect_end(ondemand::document& document, Reading& reading) {
  return is_at_end(document) || reading.fail("more text follows the JSON value");
}

}  // namespace

bool read_json_object(ondemand::document& document,
                      const TypeNames* names,
                      const Table& table,
                      void* object,
                      const Mask* mask,
                      Reading& reading) {
  ondemand::value value;
  return take_value(document, value, reading) &&
         ObjectReader(reading).read_struct(value, table, object, mask, names) &&
         expect_end(document, reading);
}

bool walk_json_object(ondemand::document& document, int depth_left, Reading& reading) {
  ondemand::value value;
  return take_value(document, value, reading) && walk_json(value, depth_left, reading) &&
         expect_end(document, reading);
}

}  // namespace berth::api::codec
