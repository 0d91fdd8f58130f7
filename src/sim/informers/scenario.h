// The suite `informers`: one run.
#pragma once

#include "sim/suite.h"

namespace berth::sim::informers {

SeedReport run(const SeedOptions& options);

}  // namespace berth::sim::informers
