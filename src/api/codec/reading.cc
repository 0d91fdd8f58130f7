#include "api/codec/reading.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "api/objects/meta.h"
#include "api/table.h"
#include "api/type.h"
#include "base/error.h"

namespace berth::api::codec {
namespace {

// The metadata of an object, or nullptr if the struct has none.
const ObjectMeta* metadata_of(const Table& table, const void* object) {
  for (const Field& field : table.fields()) {
    if (field.json_name == "metadata" && field.type == &kType<ObjectMeta>) {
      return static_cast<const ObjectMeta*>(field.in(object));
    }
  }
  return nullptr;
}

// "default/web-0", "node-7", or empty when the name is not known.
std::string full_name(const ObjectMeta* metadata) {
  if (metadata == nullptr || metadata->name.empty()) {
    return "";
  }
  return metadata->ns.empty() ? shown(metadata->name)
                              : shown(metadata->ns) + "/" + shown(metadata->name);
}

// The item of a list that the reading failed in.
std::string failed_item(const Reading& reading, const Table& table, const void* object) {
  const std::size_t* index = reading.item_index();
  if (index == nullptr) {
    return "";
  }
  for (const Field& field : table.fields()) {
    if (field.json_name == "items" && field.type->shape == Shape::kList &&
        *index < field.type->count(field.in(object))) {
      const void* item = field.type->at(field.in(object), *index);
      return full_name(metadata_of(field.type->element->table(), item));
    }
  }
  return "";
}

}  // namespace

const Table& OnlyMetadata::table() {
  static const Table table{field("metadata", 1, &OnlyMetadata::metadata)};
  return table;
}

bool Reading::fail(ErrorCode code, std::string what) {
  if (what_.empty()) {
    code_ = code;
    what_ = std::move(what);
  }
  return false;
}

bool Reading::fail_limit() {
  return fail(ErrorCode::kLimit, "asks for too much memory for its size");
}

std::string Reading::path() const {
  std::string text;
  for (const Part& part : std::span(path_).first(length_)) {
    if (part.index == kNoIndex) {
      text.append(text.empty() ? "" : ".").append(shown(part.name));
    } else if (part.index == kKey) {
      text.append("[").append(shown(part.name)).append("]");
    } else {
      text += fmt::format("[{}]", part.index);
    }
  }
  return text;
}

const std::size_t* Reading::item_index() const {
  const bool is_item = length_ > 1 && path_[0].name == "items" && path_[1].name.empty();
  return is_item ? &path_[1].index : nullptr;
}

Error describe(const Reading& reading,
               std::string_view kind,
               const Table& table,
               const void* object,
               const ObjectMeta& metadata) {
  std::string name = full_name(&metadata);
  if (name.empty()) {
    name = failed_item(reading, table, object);
  }
  std::string where(kind);
  if (!name.empty()) {
    where += " " + name;
  }
  const std::string path = reading.path();
  if (!path.empty()) {
    where += ": " + path;
  }
  return Error(reading.code(), reading.what()).in(where);
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShownMax = 80;
  std::string result;
  for (const char c : text.substr(0, kShownMax)) {
    const bool is_printable = c >= 0x20 && c < 0x7f;
    result += is_printable ? c : '?';
  }
  return text.size() > kShownMax ? result + "..." : result;
}

}  // namespace berth::api::codec
