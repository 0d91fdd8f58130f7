#include "api/codec/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/meta.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "api/type.h"
#include "base/error.h"

namespace berth::api::codec {
namespace {

// "default/web-0", "node-7", or empty when the name is not known.
std::string full_name(const ObjectMeta& metadata) {
  if (metadata.name.empty() || metadata.ns.empty()) {
    return shown(metadata.name);
  }
  return shown(metadata.ns) + "/" + shown(metadata.name);
}

}  // namespace

bool is_items(const Field& field) {
  return field.json_name == "items" && field.type->shape == Shape::kList &&
         field.type->element->shape == Shape::kStruct;
}

const Field* items_of(const Table& table) {
  const auto fields = table.fields();
  const auto found = std::ranges::find_if(fields, is_items);
  return found == fields.end() ? nullptr : &*found;
}

const Table& OnlyMetadata::table() {
  static const Table table{field("metadata", 1, &OnlyMetadata::metadata)};
  return table;
}

bool Reading::fail(ErrorCode code, std::string what) {
  if (what_.empty()) {
    code_ = code;
    what_ = std::move(what);
    path_text_ = path_so_far();
    if (length_ > 1 && path_[0].name == "items" && path_[1].is_index()) {
      item_ = path_[1].index;
    }
  }
  return false;
}

bool Reading::fail_limit() {
  return fail(ErrorCode::kLimit, "asks for too much memory for its size");
}

std::string Reading::path_so_far() const {
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

Error describe(const Reading& reading, std::string_view kind, const ObjectMeta& metadata) {
  std::string where(kind);
  if (const std::string name = full_name(metadata); !name.empty()) {
    where += (where.empty() ? "" : " ") + name;
  }
  if (!reading.path().empty()) {
    where += (where.empty() ? "" : ": ") + reading.path();
  }
  Error error(reading.code(), reading.what());
  return where.empty() ? error : std::move(error).in(where);
}

}  // namespace berth::api::codec
