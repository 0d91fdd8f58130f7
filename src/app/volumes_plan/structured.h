// A plan's report for programs.
#pragma once

#include "app/volumes_plan/report.h"
#include "app/volumes_plan/tree.h"

namespace berth::app {

// All of it. Names of members and constants are a contract: docs/reference/berth.md lists them.
Tree tree_of(const PlanReport& report);

}  // namespace berth::app
