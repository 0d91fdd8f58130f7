// An event of the group events.k8s.io; the same fact as api::Event in newer words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/core_event.h"
#include "api/objects/meta.h"
#include "api/objects/references.h"

namespace berth::api::events {

struct EventSeries {
  std::int32_t count = 0;
  std::optional<MicroTime> last_observed_time;

  static const Table& table();
  bool operator==(const EventSeries&) const = default;
};

struct Event {
  ObjectMeta metadata;
  std::optional<MicroTime> event_time;
  Box<EventSeries> series;
  std::string reporting_controller;
  std::string reporting_instance;
  std::string action;
  std::string reason;
  ObjectReference regarding;
  Box<ObjectReference> related;
  std::string note;
  std::string type;
  EventSource deprecated_source;
  std::optional<Time> deprecated_first_timestamp;
  std::optional<Time> deprecated_last_timestamp;
  std::int32_t deprecated_count = 0;

  static constexpr Kind kKind{"events.k8s.io", "v1", "Event", "events", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const Event&) const = default;
};

}  // namespace berth::api::events
