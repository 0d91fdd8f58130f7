// The suite `binding`: orders come, two electing binders fulfil them, everything goes wrong.
#pragma once

#include "sim/binding/mistakes.h"
#include "sim/suite.h"

namespace berth::sim::binding {

SeedReport run(const SeedOptions& options);
SeedReport run_with(Mistake mistake, const SeedOptions& options);

}  // namespace berth::sim::binding
