// The suite `informers`: one run.
#pragma once

#include "sim/informers/mistakes.h"
#include "sim/suite.h"

namespace berth::sim::informers {

SeedReport run(const SeedOptions& options);
// For tests: every process makes the mistake.
SeedReport run_with(Mistake mistake, const SeedOptions& options);

}  // namespace berth::sim::informers
