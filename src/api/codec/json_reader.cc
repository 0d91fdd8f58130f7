#include <simdjson.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/json_items.h"
#include "api/codec/json_object_internal.h"
#include "api/codec/json_walk_internal.h"
#include "api/codec/reading.h"
#include "api/mask.h"
#include "api/objects/meta.h"
#include "api/table.h"
#include "api/type.h"
#include "base/assert.h"
#include "base/result.h"

namespace berth::api::codec {
namespace {

namespace ondemand = simdjson::ondemand;

// Buffers that grew beyond this are given back after use.
constexpr std::size_t kKeptMax = std::size_t{4} << 20;

}  // namespace

struct JsonReader::Buffers {
  ondemand::parser parser;
  std::string text;

  bool read(std::string_view json,
            const TypeNames* names,
            const Table& table,
            void* object,
            const Mask* mask,
            Reading& reading) {
    ondemand::document document;
    return open(json, document, reading) &&
           read_json_object(document, names, table, object, mask, reading);
  }

  // `object` is the list that `items` is a member of.
  bool read_items(const JsonItems& cut,
                  const TypeNames& names,
                  const Field& items,
                  void* object,
                  const Mask* mask,
                  Reading& reading) {
    const Type& element = *items.type->element;
    void* list = items.in(object);
    items.type->reserve(list, reading.affordable(element, cut.items.size()));
    reading.enter(items.json_name);
    for (std::size_t i = 0; i < cut.items.size(); ++i) {
      reading.enter(i);
      if (!reading.spend(element) ||
          !read(cut.items[i], &names, element.table(), items.type->append(list), mask, reading)) {
        return false;
      }
      reading.leave();
    }
    reading.leave();
    return true;
  }

  // Items nobody wants are valid JSON all the same, or the text is refused.
  bool walk_items(const JsonItems& cut, const Field& items, Reading& reading) {
    reading.enter(items.json_name);
    for (std::size_t i = 0; i < cut.items.size(); ++i) {
      reading.enter(i);
      ondemand::document document;
      // The list is a level of its own.
      if (!open(cut.items[i], document, reading) ||
          !walk_json_object(document, kDepthMax - 1, reading)) {
        return false;
      }
      reading.leave();
    }
    reading.leave();
    return true;
  }

  // The metadata of an object that could not be read, as far as it can be had: its error is told
  // with or without a name.
  ObjectMeta metadata_of(std::string_view json) {
    OnlyMetadata named;
    Reading ignored(json.size());
    static_cast<void>(read(json, nullptr, OnlyMetadata::table(), &named, nullptr, ignored));
    return named.metadata;
  }

 private:
  bool open(std::string_view json, ondemand::document& document, Reading& reading) {
    text.assign(json);
    text.append(simdjson::SIMDJSON_PADDING, '\0');
    const auto error = parser.iterate(text.data(), json.size(), text.size()).get(document);
    return error == simdjson::SUCCESS || fail_json(reading, error);
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
  BERTH_ASSERT(mask == nullptr || mask->is_for(table), "a mask is for one kind");
  const Field* items = items_of(table);
  auto result = items == nullptr ? read_object(text, expected, table, object, mask)
                                 : read_list(text, expected, table, *items, object, mask);
  if (buffers_->text.capacity() > kKeptMax) {
    buffers_ = std::make_unique<Buffers>();
  }
  return result;
}

Result<void> JsonReader::read_object(std::string_view text,
                                     const Expected& expected,
                                     const Table& table,
                                     void* object,
                                     const Mask* mask) {
  const TypeNames names{.api_version = expected.api_version, .kind = expected.kind};
  Reading reading(text.size());
  if (buffers_->read(text, &names, table, object, mask, reading)) {
    return {};
  }
  return describe(reading, expected.kind, buffers_->metadata_of(text));
}

Result<void> JsonReader::read_list(std::string_view text,
                                   const Expected& expected,
                                   const Table& table,
                                   const Field& items,
                                   void* object,
                                   const Mask* mask) {
  const TypeNames item_names{.api_version = expected.api_version, .kind = expected.item_kind};
  const TypeNames names{
      .api_version = expected.api_version, .kind = expected.kind, .items = &item_names};
  Reading reading(text.size());
  const auto cut = cut_json_items(text);
  if (!cut) {
    const bool is_read = buffers_->read(text, &names, table, object, mask, reading);
    return is_read ? Result<void>{} : describe(reading, expected.kind, {});
  }
  if (!buffers_->read(cut->envelope, &names, table, object, mask, reading)) {
    return describe(reading, expected.kind, {});
  }
  const std::size_t index = table.index_of(items);
  const bool is_wanted = mask == nullptr || mask->keeps(index);
  const Mask* item_mask = mask == nullptr ? nullptr : mask->child(index);
  if (is_wanted ? buffers_->read_items(*cut, item_names, items, object, item_mask, reading)
                : buffers_->walk_items(*cut, items, reading)) {
    return {};
  }
  // A list has no name, the item that failed has.
  const auto failed = reading.item();
  BERTH_ASSERT(failed && *failed < cut->items.size(), "an item fails inside itself");
  return describe(reading, expected.kind, buffers_->metadata_of(cut->items[*failed]));
}

}  // namespace berth::api::codec
