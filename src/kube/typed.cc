#include "kube/typed.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/json_text.h"
#include "api/codec/protobuf.h"
#include "api/mask.h"
#include "api/table.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/json_object.h"

namespace berth::kube {
namespace {

// The place behind the string that begins at `at`.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  for (++at; json[at] != '"'; ++at) {
    at += json[at] == '\\' ? 1 : 0;
  }
  return at + 1;
}

// Where the value of the member `name` of a JSON object begins, or npos. Its name is written
// without escapes.
std::size_t find_member(std::string_view json, std::string_view name) {
  const std::string quoted = '"' + std::string(name) + '"';
  int depth = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c != '"') {
      depth += c == '{' || c == '[' ? 1 : 0;
      depth -= c == '}' || c == ']' ? 1 : 0;
      ++at;
      continue;
    }
    const std::size_t end = end_of_string(json, at);
    const std::size_t next = json.find_first_not_of(" \t\r\n", end);
    if (depth == 1 && json[next] == ':' && json.substr(at, end - at) == quoted) {
      return json.find_first_not_of(" \t\r\n", next + 1);
    }
    at = end;
  }
  return std::string_view::npos;
}

// Puts `members` in front of those of the object that begins at `at`.
std::string with_members(std::string_view json, std::size_t at, const std::string& members) {
  const std::size_t next = json.find_first_not_of(" \t\r\n", at + 1);
  const std::string_view comma = json[next] == '}' ? "" : ",";
  std::string out(json.substr(0, at + 1));
  out += members;
  out += comma;
  out += json.substr(at + 1);
  return out;
}

}  // namespace

std::string guarded_merge(std::string_view body, const Preconditions& preconditions) {
  const std::size_t start = body.find('{');
  BERTH_ASSERT(start != std::string_view::npos && api::codec::is_json(body),
               "the body of a merge patch is a JSON object");
  JsonObject guard;
  if (!preconditions.uid.empty()) {
    guard.text("uid", preconditions.uid);
  }
  if (!preconditions.resource_version.empty()) {
    guard.text("resourceVersion", preconditions.resource_version);
  }
  if (guard.is_empty()) {
    return std::string(body);
  }
  const std::size_t metadata = find_member(body, "metadata");
  if (metadata == std::string_view::npos) {
    return with_members(body, start, "\"metadata\":" + guard.done());
  }
  BERTH_ASSERT(body[metadata] == '{', "metadata is an object");
  const std::string text = guard.done();
  return with_members(body, metadata, text.substr(1, text.size() - 2));
}

const api::Table& ObjectHead::table() {
  // The same number in every kind.
  static const api::Table table{
      api::field("metadata", 1, &ObjectHead::metadata),
  };
  return table;
}

Result<ObjectHead> read_head(const Document& document) {
  static const api::Mask mask = api::Mask::keeping<ObjectHead>({"metadata.name",
                                                                "metadata.namespace",
                                                                "metadata.uid",
                                                                "metadata.resourceVersion",
                                                                "metadata.annotations"});
  api::codec::JsonReader reader;
  ObjectHead head;
  auto read = internal::decode(reader, document, {}, ObjectHead::table(), &head, &mask);
  if (!read) {
    return std::move(read).error();
  }
  return head;
}

Result<void> internal::decode(api::codec::JsonReader& reader,
                              const Document& document,
                              const api::codec::Expected& expected,
                              const api::Table& table,
                              void* object,
                              const api::Mask* mask) {
  return document.encoding == Document::Encoding::kJson
             ? reader.read(document.bytes, expected, table, object, mask)
             : api::codec::read_protobuf(document.bytes, expected.kind, table, object, mask);
}

Error internal::unreadable_answer(Error error) {
  return Error(ErrorCode::kUnknownOutcome, std::move(error).in("answer of a write").text());
}

}  // namespace berth::kube
