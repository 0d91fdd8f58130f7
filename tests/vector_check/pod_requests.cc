#include "pod_requests.h"

#include <stdexcept>

#include "api/codec.h"
#include "api/members.h"
#include "api/objects/pod.h"
#include "difference.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

json::object printed(const api::ResourceList& resources) {
  json::object result;
  for (const auto& [name, quantity] : resources) {
    result[name] = quantity.to_string();
  }
  return result;
}

}  // namespace

bool is_pod_requests_row(const json::object& row) {
  const json::value* const kind = row.if_contains("kind");
  return kind != nullptr && *kind == "podRequests";
}

Differences check_pod_requests_row(const json::object& row, const PodRequestRules& rules) {
  const auto pod = api::from_json<api::Pod>(json::serialize(row.at("pod")));
  if (!pod) {
    throw std::invalid_argument(pod.error().text());
  }
  json::object expected = row;
  for (const char* const input : {"id", "tags", "kind", "pod"}) {
    expected.stable_erase(input);
  }
  return compare(expected,
                 {{"requests", printed(rules.requests(*pod, {.use_status = true}))},
                  {"requestsOfSpec", printed(rules.requests(*pod, {.use_status = false}))}});
}

}  // namespace berth::vector_check
