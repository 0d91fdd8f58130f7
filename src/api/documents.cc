#include "api/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_text.h"
#include "api/table.h"
#include "api/text.h"
#include "api/yaml.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::api {
namespace {

// An object of which nothing is kept.
struct Anything {
  static const Table& table() {
    static const Table table{};
    return table;
  }
};

bool begins_with_brace(std::string_view text) {
  return trimmed(text).starts_with('{');
}

// One JSON value, or why it is none.
Result<std::string> as_json(std::string_view text) {
  if (codec::is_json(text)) {
    return std::string(text);
  }
  Anything ignored;
  auto read = codec::JsonReader().read(text, {}, Anything::table(), &ignored, nullptr);
  return read ? Error(ErrorCode::kInvalid, "malformed JSON") : std::move(read).error();
}

// The first line, which is taken off `text`.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Whether every line is to be one value: the first is, and the others look like it.
bool is_json_by_line(std::string_view text) {
  if (!codec::is_json(take_line(text))) {
    return false;
  }
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!trimmed(line).empty() && !begins_with_brace(line)) {
      return false;
    }
  }
  return true;
}

void take_lines(std::string_view text, const TakeDocument& take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (trimmed(line).empty()) {
      continue;
    }
    auto json = as_json(line);
    if (!json) {
      json = std::move(json).error().in(fmt::format("line {}", number));
    }
    take({.json = std::move(json), .line = number});
  }
}

}  // namespace

void for_each_document(std::string_view text, const TakeDocument& take) {
  if (!begins_with_brace(text)) {
    std::ranges::for_each(read_yaml(text), take);
    return;
  }
  auto json = as_json(text);
  if (json) {
    return take({.json = std::move(json)});
  }
  if (is_json_by_line(text)) {
    return take_lines(text, take);
  }
  const auto documents = read_yaml(text);
  if (documents.size() == 1 && !documents[0].json) {
    const Error& yaml = documents[0].json.error();
    return take({.json = Error(json.error().code(),
                               fmt::format("{}; as YAML: {}", json.error().text(), yaml.text()))});
  }
  std::ranges::for_each(documents, take);
}

}  // namespace berth::api
