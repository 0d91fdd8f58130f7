// The checker must notice whatever a row records: each leaf of it is altered in turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "difference.h"
#include "rows.h"
#include "volumes/switches.h"
#include "volumes_replay.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using volumes::Switches;

const std::vector<json::object>& rows() {
  static const std::vector<json::object> kRows = [] {
    std::vector<json::object> rows;
    auto reader = RowReader::open(BERTH_VOLUMES);
    while (reader) {
      auto row = reader->next();
      if (!row || !row->has_value()) {
        break;
      }
      rows.push_back(**std::move(row));
    }
    return rows;
  }();
  return kRows;
}

// Rows that together have every tag.
std::vector<const json::object*> varied_rows() {
  std::vector<const json::object*> varied;
  std::set<std::string> seen;
  for (const json::object& row : rows()) {
    bool is_new = false;
    for (const json::value& tag : row.at("tags").as_array()) {
      is_new |= seen.insert(std::string(tag.as_string())).second;
    }
    if (is_new) {
      varied.push_back(&row);
    }
  }
  return varied;
}

const json::object& row_called(std::string_view id) {
  for (const json::object& row : rows()) {
    if (row.at("id") == json::value(id)) {
      return row;
    }
  }
  throw std::out_of_range("no row " + std::string(id));
}

std::vector<std::string> paths(const json::object& row, const Switches& switches) {
  std::vector<std::string> result;
  for (const Difference& difference : VolumesRow(row).check(switches)) {
    result.push_back(difference.path);
  }
  return result;
}

std::vector<std::string> strict_paths(const json::object& row) {
  return paths(row, Switches::upstream());
}

// Another value in place of a leaf.
json::value altered(const json::value& value) {
  switch (value.kind()) {
    case json::kind::string:
      return json::value(std::string(value.get_string()) + "-altered");
    case json::kind::bool_:
      return !value.get_bool();
    case json::kind::int64:
      return value.get_int64() + 1;
    case json::kind::object:
      return {{"altered", true}};
    case json::kind::array:
      return json::array{"altered"};
    default:
      return "altered";
  }
}

using Visit = std::function<void(const std::string& path, json::value& leaf)>;

void visit_leaves(const std::string& path, json::value& value, const Visit& visit) {
  if (value.is_object() && !value.get_object().empty()) {
    for (auto& field : value.get_object()) {
      visit_leaves(path + "/" + std::string(field.key()), field.value(), visit);
    }
  } else if (value.is_array() && !value.get_array().empty()) {
    std::size_t place = 0;
    for (json::value& item : value.get_array()) {
      visit_leaves(path + "/" + std::to_string(place++), item, visit);
    }
  } else {
    visit(path, value);
  }
}

// "/alternatives/<node>/<place>/..." of another place than the first.
bool is_other_alternative(std::string_view path) {
  constexpr std::string_view kPrefix = "/alternatives/";
  if (!path.starts_with(kPrefix)) {
    return false;
  }
  path.remove_prefix(kPrefix.size());
  return !path.substr(path.find('/')).starts_with("/0/");
}

// What stands in the record but is no result: how PreBind is called, what happens meanwhile, what
// upstream might have done as well, a crash, a remark.
bool is_open(std::string_view path) {
  for (const std::string_view input : {"/bind/node",
                                       "/bind/bindTimeoutSeconds",
                                       "/bind/faults",
                                       "/bind/instantController",
                                       "/bind/skipReserve",
                                       "/secondPod/orderDependent"}) {
    if (path.starts_with(input)) {
      return true;
    }
  }
  const bool is_event = path.starts_with("/bind/waitLoop/") &&
                        (path.find("/events") != std::string_view::npos || path.ends_with("/name"));
  return is_event || is_other_alternative(path) || path.ends_with("/panic");
}

TEST(VolumesRows, AreRecognised) {
  EXPECT_TRUE(is_volumes_row(rows().front()));
  EXPECT_FALSE(is_volumes_row({{"id", "1"}, {"kind", "parse"}, {"in", "1"}}));
}

TEST(VolumesRows, AgreeWithTheEngineAsUpstream) {
  for (const json::object* const row : varied_rows()) {
    EXPECT_THAT(strict_paths(*row), IsEmpty()) << row->at("id");
  }
}

TEST(VolumesRows, EveryLeafOfTheRecordCounts) {
  for (const json::object* const row : varied_rows()) {
    json::object copy = *row;
    visit_leaves("", copy["expect"], [&](const std::string& path, json::value& leaf) {
      if (is_open(path)) {
        return;
      }
      json::value original = std::move(leaf);
      leaf = altered(original);
      EXPECT_THAT(strict_paths(copy), Not(IsEmpty())) << row->at("id") << " " << path;
      leaf = std::move(original);
    });
  }
}

TEST(VolumesRows, EveryPartOfTheRecordCounts) {
  for (const json::object* const row : varied_rows()) {
    for (const auto& part : row->at("expect").as_object()) {
      if (part.key() == "alternatives") {
        continue;  // a remark on the parts beside it
      }
      json::object copy = *row;
      copy["expect"].as_object().erase(part.key());
      EXPECT_THAT(strict_paths(copy), Not(IsEmpty())) << row->at("id") << " " << part.key();
    }
  }
}

TEST(VolumesRows, UnknownResultIsADifference) {
  json::object row = row_called("v-001521");
  row["expect"].as_object()["postBind"] = true;
  row["expect"].at("bind").as_object()["retries"] = 1;
  EXPECT_THAT(strict_paths(row), ElementsAre("bind.retries", "postBind"));
}

TEST(VolumesRows, UnknownInputIsRefused) {
  json::object row = row_called("v-001521");
  row["quota"] = json::object();
  EXPECT_THROW(VolumesRow{row}, std::invalid_argument);
  row = row_called("v-001521");
  row["objects"].as_object()["volumeattachments"] = json::array();
  EXPECT_THROW(VolumesRow{row}, std::invalid_argument);
  row = row_called("v-001521");
  row["race"] = {{"when", "afterReserve"}, {"name", "late"}, {"events", json::array()}};
  EXPECT_THROW(VolumesRow{row}, std::invalid_argument);
}

TEST(VolumesRows, SingleSwitchesReachTheEngine) {
  const json::object& row = row_called("v-000275");
  EXPECT_THAT(paths(row, Switches()), Not(IsEmpty()));
  Switches switches;
  switches.verify_uids = false;
  EXPECT_THAT(paths(row, switches), IsEmpty());
  switches = Switches::upstream();
  switches.verify_uids = true;
  EXPECT_THAT(paths(row, switches), Not(IsEmpty()));
}

// Order is part of the record.
TEST(VolumesRows, OrderOfReasonsAndOfPlansCounts) {
  json::object row = row_called("v-001521");
  json::array& reasons = row["expect"].at("filter").at("node-2").as_object()["reasons"].as_array();
  std::swap(reasons[0], reasons[1]);
  EXPECT_THAT(strict_paths(row), ElementsAre("filter.node-2.reasons.0", "filter.node-2.reasons.1"));
}

}  // namespace

}  // namespace berth::vector_check
