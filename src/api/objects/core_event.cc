#include "api/objects/core_event.h"

#include "api/table.h"

namespace berth::api {

const Table& EventSource::table() {
  using S = EventSource;
  static const Table table{
      field("component", 1, &S::component),
      field("host", 2, &S::host),
  };
  return table;
}

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
      field("involvedObject", 2, &S::involved_object),
      field("reason", 3, &S::reason),
      field("message", 4, &S::message),
      field("source", 5, &S::source),
      field("firstTimestamp", 6, &S::first_timestamp),
      field("lastTimestamp", 7, &S::last_timestamp),
      field("count", 8, &S::count),
      field("type", 9, &S::type),
      field("eventTime", 10, &S::event_time),
      field("series", 11, &S::series),
      field("action", 12, &S::action),
      field("related", 13, &S::related),
      field("reportingComponent", 14, &S::reporting_component),
      field("reportingInstance", 15, &S::reporting_instance),
  };
  return table;
}

}  // namespace berth::api
