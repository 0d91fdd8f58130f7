// The part `bind` of a row: PreBind of a scheduler that has just started, against a stub server.
#pragma once

#include <boost/json.hpp>

#include "volumes/switches.h"
#include "volumes_scenario.h"

namespace berth::vector_check {

// `objects` as in the row; the scenario has this part.
boost::json::object replay_bind(const Scenario& scenario,
                                const boost::json::object& objects,
                                const volumes::Switches& switches);

}  // namespace berth::vector_check
