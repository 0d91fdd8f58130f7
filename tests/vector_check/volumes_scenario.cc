#include "volumes_scenario.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "volumes/score.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

void allow_only(const json::object& object,
                std::string_view where,
                std::initializer_list<std::string_view> known) {
  for (const auto& field : object) {
    if (std::ranges::find(known, std::string_view(field.key())) == known.end()) {
      throw std::invalid_argument(std::string(where) + " has an unknown field " +
                                  std::string(field.key()));
    }
  }
}

template <typename Typed>
std::shared_ptr<const Typed> read_as(const json::object& object) {
  auto result = api::from_json<Typed>(json::serialize(object));
  if (!result) {
    throw std::invalid_argument(result.error().text());
  }
  return std::make_shared<const Typed>(*std::move(result));
}

template <typename Typed>
Object read_any(const json::object& object) {
  return read_as<Typed>(object);
}

struct KindReader {
  std::string_view kind;
  std::string_view resource;
  Object (*read)(const json::object& object);
};

template <typename Typed>
constexpr KindReader kReaderOf{Typed::kKind.name, Typed::kKind.plural, read_any<Typed>};

constexpr std::array kReaders{
    kReaderOf<api::Pod>,
    kReaderOf<api::Node>,
    kReaderOf<api::PersistentVolume>,
    kReaderOf<api::PersistentVolumeClaim>,
    kReaderOf<api::StorageClass>,
    kReaderOf<api::CSIDriver>,
    kReaderOf<api::CSINode>,
    kReaderOf<api::CSIStorageCapacity>,
};

std::vector<Object> read_objects(const json::object& lists) {
  std::vector<Object> objects;
  for (const auto& list : lists) {
    const std::string_view resource = list.key();
    const auto reader = std::ranges::find(kReaders, resource, &KindReader::resource);
    if (reader == kReaders.end()) {
      throw std::invalid_argument("unknown resource " + std::string(resource));
    }
    for (const json::value& object : list.value().as_array()) {
      objects.push_back(reader->read(object.as_object()));
    }
  }
  return objects;
}

std::vector<Event> read_events(const json::array& recorded) {
  std::vector<Event> events;
  for (const json::value& value : recorded) {
    const json::object& event = value.as_object();
    allow_only(event, "event", {"type", "object"});
    const std::string_view type = event.at("type").as_string();
    if (type != "ADDED" && type != "MODIFIED" && type != "DELETED") {
      throw std::invalid_argument("unknown event " + std::string(type));
    }
    events.push_back(
        {.is_deletion = type == "DELETED", .object = read_object(event.at("object").as_object())});
  }
  return events;
}

Race read_race(const json::object& race) {
  allow_only(race, "race", {"when", "name", "events"});
  const std::string_view when = race.at("when").as_string();
  if (when != "beforeFilter" && when != "beforeReserve") {
    throw std::invalid_argument("race at an unknown moment " + std::string(when));
  }
  return {.is_before_filter = when == "beforeFilter",
          .events = read_events(race.at("events").as_array())};
}

volumes::Shape read_shape(const json::array& points) {
  volumes::Shape shape;
  for (const json::value& value : points) {
    const json::object& point = value.as_object();
    allow_only(point, "point of a shape", {"utilization", "score"});
    shape.push_back({.utilization = point.at("utilization").to_number<std::int32_t>(),
                     .score = point.at("score").to_number<std::int32_t>()});
  }
  return shape;
}

BindInput read_bind(const json::object& recorded) {
  BindInput bind;
  bind.node = recorded.at("node").as_string();
  bind.timeout_seconds = recorded.at("bindTimeoutSeconds").to_number<std::int64_t>();
  if (const json::value* skips = recorded.if_contains("skipReserve")) {
    bind.skips_reserve = skips->as_bool();
  }
  if (const json::value* instant = recorded.if_contains("instantController")) {
    bind.has_instant_controller = instant->as_bool();
  }
  if (const json::value* faults = recorded.if_contains("faults")) {
    for (const json::value& value : faults->as_array()) {
      const json::object& fault = value.as_object();
      allow_only(fault, "fault", {"write", "error"});
      bind.faults.push_back({.write = fault.at("write").to_number<std::size_t>(),
                             .error = std::string(fault.at("error").as_string())});
    }
  }
  if (const json::value* waits = recorded.if_contains("waitLoop")) {
    for (const json::value& value : waits->as_array()) {
      const json::array& events = value.at("events").as_array();
      bind.waits.push_back({.name = std::string(value.at("name").as_string()),
                            .events = read_events(events),
                            .recorded_events = events});
    }
  }
  return bind;
}

}  // namespace

Object read_object(const json::object& object) {
  const std::string_view kind = object.at("kind").as_string();
  const auto reader = std::ranges::find(kReaders, kind, &KindReader::kind);
  if (reader == kReaders.end()) {
    throw std::invalid_argument("unknown kind " + std::string(kind));
  }
  return reader->read(object);
}

Scenario read_scenario(const json::object& row) {
  allow_only(
      row, "row", {"id", "tags", "objects", "pod", "secondPod", "customShape", "race", "expect"});
  Scenario scenario;
  scenario.objects = read_objects(row.at("objects").as_object());
  scenario.pod = read_as<api::Pod>(row.at("pod").as_object());
  scenario.second_pod = read_as<api::Pod>(row.at("secondPod").as_object());
  scenario.custom_shape = read_shape(row.at("customShape").as_array());
  if (const json::value* race = row.if_contains("race")) {
    scenario.race = read_race(race->as_object());
  }
  if (const json::value* bind = row.at("expect").as_object().if_contains("bind")) {
    scenario.bind = read_bind(bind->as_object());
  }
  return scenario;
}

}  // namespace berth::vector_check
