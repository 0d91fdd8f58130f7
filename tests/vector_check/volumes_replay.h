// Rows of the set `volumes`, through the engine.
#pragma once

#include <boost/json.hpp>

#include "difference.h"
#include "volumes/switches.h"
#include "volumes_scenario.h"

namespace berth::vector_check {

bool is_volumes_row(const boost::json::object& row);

// A row that can be replayed with one set of switches after the other.
class VolumesRow {
 public:
  // Throws for a row that is malformed or has an input that is not known here. `row` outlives it.
  explicit VolumesRow(const boost::json::object& row);

  Differences check(const volumes::Switches& switches) const;

 private:
  boost::json::object replay(const volumes::Switches& switches) const;
  void fill_in_what_is_open(boost::json::object& got) const;

  const boost::json::object& row_;
  const boost::json::object& expected_;
  const Scenario scenario_;
};

}  // namespace berth::vector_check
