#include "api/objects/events_event.h"

#include "api/table.h"

namespace berth::api::events {

const Table& EventSeries::table() {
  using S = EventSeries;
  static const Table table{
      field("count", 1, &S::count),
      field("lastObservedTime", 2, &S::last_observed_time),
  };
  return table;
}

const Table& Event::table() {
  using S = Event;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("eventTime", 2, &S::event_time),
      field("series", 3, &S::series),
      field("reportingController", 4, &S::reporting_controller),
      field("reportingInstance", 5, &S::reporting_instance),
      field("action", 6, &S::action),
      field("reason", 7, &S::reason),
      field("regarding", 8, &S::regarding),
      field("related", 9, &S::related),
      field("note", 10, &S::note),
      field("type", 11, &S::type),
      field("deprecatedSource", 12, &S::deprecated_source),
      field("deprecatedFirstTimestamp", 13, &S::deprecated_first_timestamp),
      field("deprecatedLastTimestamp", 14, &S::deprecated_last_timestamp),
      field("deprecatedCount", 15, &S::deprecated_count),
  };
  return table;
}

}  // namespace berth::api::events
