// A plan's report as people read it, a hundred columns wide.
#pragma once

#include <string>

#include "app/volumes_plan/report.h"

namespace berth::app {

// Lists of nodes are cut unless all are wanted.
std::string table_of(const PlanReport& report, bool is_all);

}  // namespace berth::app
