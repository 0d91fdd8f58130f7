#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/mask.h"
#include "api/members.h"
#include "api/objects/list.h"
#include "api/objects/pod.h"
#include "api/table.h"
#include "base/result.h"
#include "decode/modes.h"

namespace berth::bench {
namespace {

using api::List;
using api::Mask;
using api::Pod;

// What no scheduling rule reads and a cache of every pod of the cluster need not hold: who changed
// what, free notes, and how a container runs once it is placed.
const Mask& cached_list() {
  static const Mask mask = Mask::dropping<List<Pod>>({
      "items.metadata.managedFields",
      "items.metadata.annotations",
      "items.spec.initContainers.command",
      "items.spec.initContainers.args",
      "items.spec.initContainers.env",
      "items.spec.initContainers.envFrom",
      "items.spec.initContainers.volumeMounts",
      "items.spec.initContainers.volumeDevices",
      "items.spec.containers.command",
      "items.spec.containers.args",
      "items.spec.containers.env",
      "items.spec.containers.envFrom",
      "items.spec.containers.volumeMounts",
      "items.spec.containers.volumeDevices",
      "items.spec.ephemeralContainers",
  });
  return mask;
}

// The same for one pod.
const Mask& cached_pod() {
  const api::Table& table = List<Pod>::table();
  static const Mask& mask = *cached_list().child(table.index_of(*table.find(2)));
  return mask;
}

// A list whose pods are taken out without being read.
struct PodMessages {
  std::vector<api::Bytes> items;

  static const api::Table& table() {
    static const api::Table table{api::field("items", 2, &PodMessages::items)};
    return table;
  }
};

struct PodTexts {
  std::vector<api::RawJson> items;

  static const api::Table& table() {
    static const api::Table table{api::json_field("items", &PodTexts::items)};
    return table;
  }
};

// Every pod as a document of its own, with the server's bytes.
Result<std::vector<std::string>> split_protobuf(const std::string& file) {
  BERTH_TRY(const api::codec::Envelope envelope, api::codec::open_envelope(file));
  PodMessages messages;
  auto read = api::codec::read_protobuf(
      envelope.message, envelope.kind, PodMessages::table(), &messages, nullptr);
  if (!read) {
    return std::move(read).error();
  }
  std::vector<std::string> documents;
  documents.reserve(messages.items.size());
  for (const api::Bytes& pod : messages.items) {
    documents.push_back(api::codec::seal_envelope({.api_version = "v1", .kind = "Pod"}, pod.data));
  }
  return documents;
}

Result<std::vector<std::string>> split_json(const std::string& file) {
  PodTexts texts;
  api::codec::JsonReader reader;
  auto read = reader.read(
      file, {.api_version = "v1", .kind = "PodList"}, PodTexts::table(), &texts, nullptr);
  if (!read) {
    return std::move(read).error();
  }
  std::vector<std::string> documents;
  documents.reserve(texts.items.size());
  for (const api::RawJson& pod : texts.items) {
    // In a list a pod does not say what it is; in a watch it does.
    documents.push_back(R"({"kind":"Pod","apiVersion":"v1",)" + pod.text.substr(1));
  }
  return documents;
}

Result<Work> list_work(const std::string& file, Result<List<Pod>> (*decode)(std::string_view)) {
  return Work([&file, decode]() -> Result<std::size_t> {
    auto list = decode(file);
    if (!list) {
      return std::move(list).error();
    }
    return list->items.size();
  });
}

Result<Work> each_work(Result<std::vector<std::string>> documents,
                       Result<Pod> (*decode)(api::codec::JsonReader&, std::string_view)) {
  if (!documents) {
    return std::move(documents).error();
  }
  return Work([documents = *std::move(documents), decode]() -> Result<std::size_t> {
    api::codec::JsonReader reader;
    std::vector<Pod> pods;
    pods.reserve(documents.size());
    for (const std::string& document : documents) {
      auto pod = decode(reader, document);
      if (!pod) {
        return std::move(pod).error();
      }
      pods.push_back(*std::move(pod));
    }
    return pods.size();
  });
}

Result<Work> protobuf_list(const std::string& file) {
  return list_work(file,
                   [](std::string_view bytes) { return api::list_from_protobuf<Pod>(bytes); });
}

Result<Work> protobuf_list_cached(const std::string& file) {
  return list_work(file, [](std::string_view bytes) {
    return api::list_from_protobuf<Pod>(bytes, &cached_list());
  });
}

Result<Work> protobuf_each(const std::string& file) {
  return each_work(split_protobuf(file), [](api::codec::JsonReader&, std::string_view bytes) {
    return api::from_protobuf<Pod>(bytes);
  });
}

Result<Work> protobuf_each_cached(const std::string& file) {
  return each_work(split_protobuf(file), [](api::codec::JsonReader&, std::string_view bytes) {
    return api::from_protobuf<Pod>(bytes, &cached_pod());
  });
}

Result<Work> json_list(const std::string& file) {
  return list_work(file, [](std::string_view text) { return api::list_from_json<Pod>(text); });
}

Result<Work> json_list_cached(const std::string& file) {
  return list_work(
      file, [](std::string_view text) { return api::list_from_json<Pod>(text, &cached_list()); });
}

Result<Work> json_each(const std::string& file) {
  return each_work(split_json(file), [](api::codec::JsonReader& reader, std::string_view text) {
    return api::from_json<Pod>(reader, text);
  });
}

Result<Work> json_each_cached(const std::string& file) {
  return each_work(split_json(file), [](api::codec::JsonReader& reader, std::string_view text) {
    return api::from_json<Pod>(reader, text, &cached_pod());
  });
}

}  // namespace

std::span<const Mode> berth_modes() {
  static constexpr std::array kModes{
      Mode{"berth-protobuf-list", protobuf_list},
      Mode{"berth-protobuf-list-cached", protobuf_list_cached},
      Mode{"berth-protobuf-each", protobuf_each},
      Mode{"berth-protobuf-each-cached", protobuf_each_cached},
      Mode{"berth-json-list", json_list},
      Mode{"berth-json-list-cached", json_list_cached},
      Mode{"berth-json-each", json_each},
      Mode{"berth-json-each-cached", json_each_cached},
  };
  return kModes;
}

}  // namespace berth::bench
