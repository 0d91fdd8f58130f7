// Rows of the set `pod_requests`.
#pragma once

#include <boost/json.hpp>

#include "api/members.h"
#include "api/objects/pod.h"
#include "api/rules/pod_requests.h"
#include "difference.h"

namespace berth::vector_check {

// The rule under test. The default is the product's; a test of this checker replaces it by a wrong
// one and expects the rows that tell.
struct PodRequestRules {
  api::ResourceList (*requests)(const api::Pod&, const api::PodRequestOptions&) = api::pod_requests;
};

bool is_pod_requests_row(const boost::json::object& row);

Differences check_pod_requests_row(const boost::json::object& row,
                                   const PodRequestRules& rules = {});

}  // namespace berth::vector_check
