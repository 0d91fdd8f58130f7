// Answers and plans in the form in which rows record them.
#pragma once

#include <boost/json.hpp>

#include "volumes/answer.h"
#include "volumes/plan.h"

namespace berth::vector_check {

boost::json::object to_json(const volumes::Answer& answer);

// The plan's lists, where not empty, beside the status of a node.
void put_plan(boost::json::object& outcome, const volumes::NodePlan& plan);

}  // namespace berth::vector_check
