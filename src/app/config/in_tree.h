// The plugins that Berth has, in the order in which they are asked.
#pragma once

#include "framework/registry.h"

namespace berth::app {

// Their names, points, weights and arguments: enough to check a configuration without a cluster.
framework::Registry known_plugins();

}  // namespace berth::app
