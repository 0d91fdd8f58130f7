// Objects from bytes and back: the front door of the codecs.
//
//   auto pod = from_protobuf<Pod>(bytes);
//   if (!pod) {
//     log.warn("skipping object", {"reason", pod.error().text()});
//
// Errors name kind, namespace/name and field: "Pod default/web-0: spec.priority: expected a 32-bit
// integer". What a struct does not model is skipped when read and absent when written, so an object
// is never written back whole: changes go out as patches.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/mask.h"
#include "api/objects/list.h"
#include "api/type.h"
#include "base/result.h"

namespace berth::api {

template <typename Object>
concept TopLevel = HasTable<Object> && requires {
  { Object::kKind } -> std::convertible_to<const Kind&>;
};

namespace internal {

template <TopLevel Object>
codec::Expected expected() {
  return {.api_version = Object::kKind.api_version(), .kind = std::string(Object::kKind.name)};
}

template <TopLevel Object>
codec::Expected expected_list() {
  return {.api_version = Object::kKind.api_version(),
          .kind = std::string(Object::kKind.name) + "List",
          .item_kind = std::string(Object::kKind.name)};
}

template <HasTable Object>
Result<Object> read_json(codec::JsonReader& reader,
                         std::string_view text,
                         const codec::Expected& expected,
                         const Mask* mask) {
  Object object;
  if (auto read = reader.read(text, expected, Object::table(), &object, mask); !read) {
    return std::move(read).error();
  }
  return object;
}

template <HasTable Object>
Result<Object> read_enveloped(std::string_view bytes,
                              const codec::Expected& expected,
                              const Mask* mask) {
  auto envelope = codec::open_envelope(bytes);
  if (!envelope) {
    return std::move(envelope).error().in(expected.kind);
  }
  if (auto same = codec::check_kind(*envelope, expected); !same) {
    return std::move(same).error();
  }
  Object object;
  auto read =
      codec::read_protobuf(envelope->message, expected.kind, Object::table(), &object, mask);
  if (!read) {
    return std::move(read).error();
  }
  return object;
}

}  // namespace internal

// Where many documents are read, one after the other, `reader` saves its buffers' making.
template <TopLevel Object>
Result<Object> from_json(codec::JsonReader& reader,
                         std::string_view text,
                         const Mask* mask = nullptr) {
  return internal::read_json<Object>(reader, text, internal::expected<Object>(), mask);
}

template <TopLevel Object>
Result<Object> from_json(std::string_view text, const Mask* mask = nullptr) {
  codec::JsonReader reader;
  return from_json<Object>(reader, text, mask);
}

// `mask`, here and below, is one for the list: Mask::keeping<List<Pod>>({"items.metadata"}).
template <TopLevel Object>
Result<List<Object>> list_from_json(std::string_view text, const Mask* mask = nullptr) {
  codec::JsonReader reader;
  return internal::read_json<List<Object>>(reader, text, internal::expected_list<Object>(), mask);
}

template <TopLevel Object>
Result<Object> from_protobuf(std::string_view bytes, const Mask* mask = nullptr) {
  static_assert(Object::kKind.wire == Wire::kProtobufAndJson, "custom resources are JSON only");
  return internal::read_enveloped<Object>(bytes, internal::expected<Object>(), mask);
}

template <TopLevel Object>
Result<List<Object>> list_from_protobuf(std::string_view bytes, const Mask* mask = nullptr) {
  static_assert(Object::kKind.wire == Wire::kProtobufAndJson, "custom resources are JSON only");
  return internal::read_enveloped<List<Object>>(bytes, internal::expected_list<Object>(), mask);
}

template <TopLevel Object>
std::string to_json(const Object& object) {
  return codec::write_json(internal::expected<Object>(), Object::table(), &object);
}

template <TopLevel Object>
std::string to_protobuf(const Object& object) {
  static_assert(Object::kKind.wire == Wire::kProtobufAndJson, "custom resources are JSON only");
  return codec::seal_envelope(internal::expected<Object>(),
                              codec::write_protobuf(Object::table(), &object));
}

template <TopLevel Object>
std::string to_json(const List<Object>& list) {
  return codec::write_json(internal::expected_list<Object>(), List<Object>::table(), &list);
}

template <TopLevel Object>
std::string to_protobuf(const List<Object>& list) {
  static_assert(Object::kKind.wire == Wire::kProtobufAndJson, "custom resources are JSON only");
  return codec::seal_envelope(internal::expected_list<Object>(),
                              codec::write_protobuf(List<Object>::table(), &list));
}

// One frame of a watch: a JSON line, or in protobuf a message without an envelope. Its object is
// read with from_json or from_protobuf.
Result<WatchEvent> watch_event_from_json(std::string_view text);
Result<WatchEvent> watch_event_from_protobuf(std::string_view message);

}  // namespace berth::api
