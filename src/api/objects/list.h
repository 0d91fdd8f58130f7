// A list of objects of one kind, and what a watch tells of one.
#pragma once

#include <string>
#include <vector>

#include "api/members.h"
#include "api/objects/meta.h"
#include "api/table.h"
#include "api/type.h"

namespace berth::api {

template <HasTable Item>
struct List {
  ListMeta metadata;
  std::vector<Item> items;

  static const Table& table() {
    static const Table table{
        field("metadata", 1, &List::metadata),
        field("items", 2, &List::items),
    };
    return table;
  }
  bool operator==(const List&) const = default;
};

// ADDED, MODIFIED, DELETED and BOOKMARK carry an object of the watched kind, ERROR a Status.
struct WatchEvent {
  std::string type;
  Embedded object;

  static const Table& table() {
    static const Table table{
        field("type", 1, &WatchEvent::type),
        field("object", 2, &WatchEvent::object),
    };
    return table;
  }
  bool operator==(const WatchEvent&) const = default;
};

}  // namespace berth::api
