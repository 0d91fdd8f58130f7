// The calls of a Client with objects instead of bytes.
//
//   auto pod = co_await get_object<api::Pod>(&client, key, until);
//   auto changed = co_await patch_object<api::Pod>(
//       &client, key, guarded_merge(body, {.uid = pod->metadata.uid}), until);
//
// Reading skips what the structs do not model; writing is a create or a patch, so nothing of an
// object is ever lost.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/mask.h"
#include "api/objects/meta.h"
#include "api/table.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// What must still hold for a write to be applied; empty: anything.
struct Preconditions {
  std::string uid;
  std::string resource_version;
};

// The body of a merge patch, a JSON object, with its preconditions. A `metadata` it has already
// names neither uid nor resourceVersion.
std::string guarded_merge(std::string_view body, const Preconditions& preconditions);

// What every object has, for code that must not fail on the rest of it: which object it is and how
// new. `annotations` are read too, for bookmarks.
struct ObjectHead {
  api::ObjectMeta metadata;

  static const api::Table& table();
};
Result<ObjectHead> read_head(const Document& document);

namespace internal {

// Fills `object`, which is default constructed.
Result<void> decode(api::codec::JsonReader& reader,
                    const Document& document,
                    const api::codec::Expected& expected,
                    const api::Table& table,
                    void* object,
                    const api::Mask* mask);

// A write was applied and its answer cannot be read: the caller has to look.
Error unreadable_answer(Error error);

}  // namespace internal

// `mask` says which fields are filled; nullptr: all. Where many documents are read, `reader` saves
// its buffers' making.
template <api::TopLevel Object>
Result<Object> decode(api::codec::JsonReader& reader,
                      const Document& document,
                      const api::Mask* mask = nullptr) {
  // Lists of built-in kinds leave out what their items are: it is checked only where it is said.
  static const api::codec::Expected expected = api::internal::expected<Object>();
  Object object;
  auto read = internal::decode(reader, document, expected, Object::table(), &object, mask);
  if (!read) {
    return std::move(read).error();
  }
  return object;
}

template <api::TopLevel Object>
Result<Object> decode(const Document& document, const api::Mask* mask = nullptr) {
  api::codec::JsonReader reader;
  return decode<Object>(reader, document, mask);
}

namespace internal {

template <api::TopLevel Object>
Result<Object> decode_answer(Result<Document> answer) {
  if (!answer) {
    return std::move(answer).error();
  }
  auto object = decode<Object>(*answer);
  if (!object) {
    return unreadable_answer(std::move(object).error());
  }
  return object;
}

}  // namespace internal

template <api::TopLevel Object>
ObjectKey key_of(const Object& object) {
  return {.ns = object.metadata.ns, .name = object.metadata.name};
}

template <api::TopLevel Object>
rt::Task<Result<Object>> get_object(Client* client, ObjectKey key, rt::Until until) {
  auto document = co_await client->get({.kind = &Object::kKind, .key = std::move(key)}, until);
  if (!document) {
    co_return std::move(document).error();
  }
  co_return decode<Object>(*document);
}

// The object as it was created, with what the server added.
template <api::TopLevel Object>
rt::Task<Result<Object>> create_object(Client* client, Object object, rt::Until until) {
  CreateRequest request{
      .kind = &Object::kKind, .key = key_of(object), .body = api::to_json(object)};
  auto answer = co_await client->create(std::move(request), until);
  co_return internal::decode_answer<Object>(std::move(answer));
}

// A merge patch of the object, or of its `subresource`. The object as it is then.
template <api::TopLevel Object>
rt::Task<Result<Object>> patch_object(Client* client,
                                      ObjectKey key,
                                      std::string body,
                                      rt::Until until,
                                      std::string subresource = "") {
  PatchRequest request{.kind = &Object::kKind,
                       .key = std::move(key),
                       .subresource = std::move(subresource),
                       .type = PatchType::kMerge,
                       .body = std::move(body)};
  auto answer = co_await client->patch(std::move(request), until);
  co_return internal::decode_answer<Object>(std::move(answer));
}

template <api::TopLevel Object>
rt::Task<Result<void>> remove_object(Client* client,
                                     ObjectKey key,
                                     Preconditions preconditions,
                                     rt::Until until) {
  RemoveRequest request{.kind = &Object::kKind,
                        .key = std::move(key),
                        .uid = std::move(preconditions.uid),
                        .resource_version = std::move(preconditions.resource_version)};
  auto removed = co_await client->remove(std::move(request), until);
  co_return removed;
}

}  // namespace berth::kube
