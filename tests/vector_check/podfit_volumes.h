// Rows of the set `podfit`: what they record of VolumeRestrictions, NodeVolumeLimits and
// VolumeZone. The other plugins of a row are not looked at.
#pragma once

#include <boost/json.hpp>

#include "difference.h"
#include "volumes/related_switches.h"

namespace berth::vector_check {

bool is_podfit_row(const boost::json::object& row);

Differences check_podfit_row(const boost::json::object& row,
                             const volumes::RelatedSwitches& switches);

}  // namespace berth::vector_check
