// An event of the core group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"
#include "api/objects/references.h"

namespace berth::api {

struct EventSource {
  std::string component;
  std::string host;

  static const Table& table();
  bool operator==(const EventSource&) const = default;
};

struct EventSeries {
  std::int32_t count = 0;
  std::optional<MicroTime> last_observed_time;

  static const Table& table();
  bool operator==(const EventSeries&) const = default;
};

struct Event {
  ObjectMeta metadata;
  ObjectReference involved_object;
  std::string reason;
  std::string message;
  EventSource source;
  std::optional<Time> first_timestamp;
  std::optional<Time> last_timestamp;
  std::int32_t count = 0;
  std::string type;
  std::optional<MicroTime> event_time;
  Box<EventSeries> series;
  std::string action;
  Box<ObjectReference> related;
  std::string reporting_component;
  std::string reporting_instance;

  static constexpr Kind kKind{"", "v1", "Event", "events", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const Event&) const = default;
};

}  // namespace berth::api
