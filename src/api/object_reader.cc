#include "api/object_reader.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/expected.h"
#include "api/codec/protobuf.h"
#include "api/documents.h"
#include "api/kind.h"
#include "api/kinds.h"
#include "api/members.h"
#include "api/objects/meta.h"
#include "api/table.h"
#include "api/type.h"
#include "api/yaml.h"
#include "base/error.h"

namespace berth::api {
namespace {

using codec::Expected;

// What a document says it is.
struct Heading {
  std::string api_version;
  std::string kind;

  static const Table& table() {
    static const Table table{
        json_field("apiVersion", &Heading::api_version),
        json_field("kind", &Heading::kind),
    };
    return table;
  }
};

// The items of a list, each on its own, so that a bad one hides no other. In protobuf an item is a
// message like any bytes.
template <typename Item>
struct Items {
  std::vector<Item> items;

  static const Table& table() {
    static const Table table{field("items", 2, &Items::items)};
    return table;
  }
};

// `kind: List`, whose items say themselves what they are.
bool is_mixed_list(const Expected& names) {
  return names.api_version == "v1" && names.kind == "List";
}

// The kind of the items of a list of one kind (PodList), or nullptr.
const KindEntry* find_item_kind(const Expected& names) {
  constexpr std::string_view kSuffix = "List";
  std::string_view kind = names.kind;
  if (!kind.ends_with(kSuffix)) {
    return nullptr;
  }
  kind.remove_suffix(kSuffix.size());
  return api::find_kind(names.api_version, kind);
}

}  // namespace

Expected names_of(const KindEntry& kind) {
  return {.api_version = kind.kind->api_version(), .kind = std::string(kind.kind->name)};
}

const ObjectMeta* find_metadata(const KindEntry& kind, const void* object) {
  for (const Field& field : kind.table().fields()) {
    if (field.type == &kType<ObjectMeta>) {
      return static_cast<const ObjectMeta*>(field.in(object));
    }
  }
  return nullptr;
}

void ObjectReader::read(const std::string& name, std::string_view text) {
  if (text.starts_with(std::string_view("k8s\0", 4))) {
    return read_protobuf(name, text);
  }
  bool is_empty = true;
  for_each_document(text, [&](const YamlDocument& document) {
    is_empty = false;
    if (!document.json) {
      return taker_.fail(name, document.json.error());
    }
    read_document(fmt::format("{}:{}", name, document.line), *document.json);
  });
  if (is_empty) {
    taker_.fail(name, Error(ErrorCode::kInvalid, "holds no object"));
  }
}

void ObjectReader::read_document(const std::string& where, std::string_view json) {
  Heading heading;
  if (auto read = reader_.read(json, {}, Heading::table(), &heading, nullptr); !read) {
    return taker_.fail(where, read.error());
  }
  const Expected names{heading.api_version, heading.kind};
  if (is_mixed_list(names)) {
    return read_items(where, json, names, nullptr);
  }
  if (const auto* item_kind = find_item_kind(names); item_kind != nullptr) {
    return read_items(where, json, names, item_kind);
  }
  if (const auto* kind = find_kind(where, names); kind != nullptr) {
    read_object(where, json, *kind);
  }
}

// Items are of `kind`, or say themselves what they are.
void ObjectReader::read_items(const std::string& where,
                              std::string_view json,
                              const Expected& names,
                              const KindEntry* kind) {
  Items<RawJson> list;
  if (auto read = reader_.read(json, names, list.table(), &list, nullptr); !read) {
    return taker_.fail(where, read.error());
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const std::string item = fmt::format("{} items[{}]", where, i);
    if (kind != nullptr) {
      read_object(item, list.items[i].text, *kind);
    } else {
      read_document(item, list.items[i].text);
    }
  }
}

void ObjectReader::read_object(const std::string& where,
                               std::string_view json,
                               const KindEntry& kind) {
  const auto object = kind.make();
  auto read = reader_.read(json, names_of(kind), kind.table(), object.get(), nullptr);
  if (!read) {
    return taker_.fail(where, read.error());
  }
  taker_.take(where, kind, object);
}

void ObjectReader::read_protobuf(const std::string& name, std::string_view bytes) {
  const auto envelope = codec::open_envelope(bytes);
  if (!envelope) {
    return taker_.fail(name, envelope.error());
  }
  const Expected names{envelope->api_version, envelope->kind};
  const auto* item_kind = find_item_kind(names);
  const auto* kind = item_kind != nullptr ? item_kind : find_kind(name, names);
  if (kind == nullptr) {
    return;
  }
  if (kind->kind->wire == Wire::kJsonOnly) {
    return taker_.fail(
        name,
        Error(ErrorCode::kInvalid,
              fmt::format("{} is a custom resource, which has no protobuf form", names.kind)));
  }
  if (item_kind == nullptr) {
    return read_message(name, envelope->message, *kind);
  }
  Items<Bytes> list;
  const auto read =
      codec::read_protobuf(envelope->message, names.kind, list.table(), &list, nullptr);
  if (!read) {
    return taker_.fail(name, read.error());
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    read_message(fmt::format("{} items[{}]", name, i), list.items[i].data, *kind);
  }
}

void ObjectReader::read_message(const std::string& where,
                                std::string_view message,
                                const KindEntry& kind) {
  const auto object = kind.make();
  auto read = codec::read_protobuf(message, kind.kind->name, kind.table(), object.get(), nullptr);
  if (!read) {
    return taker_.fail(where, read.error());
  }
  taker_.take(where, kind, object);
}

// Tells of a kind that is not said or that Berth does not read, and returns nullptr.
const KindEntry* ObjectReader::find_kind(const std::string& where, const Expected& names) {
  if (names.api_version.empty() || names.kind.empty()) {
    taker_.fail(where, Error(ErrorCode::kInvalid, "has no apiVersion and kind"));
    return nullptr;
  }
  const auto* kind = api::find_kind(names.api_version, names.kind);
  if (kind == nullptr) {
    taker_.leave_out(where, names);
  }
  return kind;
}

}  // namespace berth::api
