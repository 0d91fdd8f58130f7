#include "selectors.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/objects/affinity.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "api/objects/workload.h"
#include "base/result.h"
#include "difference.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;
using api::Node;
using api::Pod;

// The input of a row is the part of an object that a rule reads; it is put into such an object,
// which is then read as any other.
template <typename Object>
Object read(json::object object) {
  object["apiVersion"] = Object::kKind.api_version();
  object["kind"] = std::string(Object::kKind.name);
  auto result = api::from_json<Object>(json::serialize(object));
  if (!result) {
    throw std::invalid_argument(result.error().text());
  }
  return *std::move(result);
}

const json::value& field_or_null(const json::object& row, std::string_view field) {
  static const json::value kNull;
  const json::value* value = row.if_contains(field);
  return value == nullptr ? kNull : *value;
}

Node node_of(const json::object& row) {
  return read<Node>({{"metadata", row.at("node")}});
}

Node node_with_labels(const json::object& row) {
  return read<Node>({{"metadata", {{"name", "node"}, {"labels", field_or_null(row, "labels")}}}});
}

Pod pod_of(const json::object& row) {
  const json::object affinity{
      {"requiredDuringSchedulingIgnoredDuringExecution", field_or_null(row, "nodeSelector")},
      {"preferredDuringSchedulingIgnoredDuringExecution", field_or_null(row, "preferred")}};
  return read<Pod>({{"spec",
                     {{"affinity", {{"nodeAffinity", affinity}}},
                      {"nodeSelector", field_or_null(row, "podNodeSelector")},
                      {"tolerations", field_or_null(row, "tolerations")}}}});
}

const api::NodeAffinity& node_affinity_of(const Pod& pod) {
  return *pod.spec.affinity->node_affinity;
}

// What a row lists as errors are alternatives.
void put_error(json::object& got, const json::object& row, std::string_view error) {
  const json::value* const expected = row.if_contains("errors");
  const bool is_expected =
      expected != nullptr && std::ranges::count(expected->as_array(), json::value(error)) > 0;
  got["errors"] = is_expected ? *expected : json::value(json::array{json::value(error)});
}

void put_outcome(json::object& got,
                 const json::object& row,
                 const Outcome& outcome,
                 bool is_match_on_set) {
  got["match"] = outcome.is_match;
  if (outcome.error) {
    put_error(got, row, *outcome.error);
  }
  if (is_match_on_set != outcome.is_match) {
    got["onSet"] = is_match_on_set;
  }
}

json::object check_node_selector(const json::object& row, const SelectorRules& rules) {
  const Pod pod = pod_of(row);
  const Node node = node_of(row);
  const api::NodeSelector& selector =
      *node_affinity_of(pod).required_during_scheduling_ignored_during_execution;
  json::object got;
  put_outcome(got,
              row,
              rules.node.node_selector(selector, node),
              rules.node_set.node_selector(selector, node));
  if (const auto fault = rules.node.fault(selector)) {
    got["parseErrors"] = json::array{json::value(*fault)};
  }
  return got;
}

json::object check_required(const json::object& row, const SelectorRules& rules) {
  const Pod pod = pod_of(row);
  const Node node = node_of(row);
  json::object got;
  put_outcome(
      got, row, rules.node.required(pod.spec, node), rules.node_set.required(pod.spec, node));
  return got;
}

json::object check_preferred(const json::object& row, const SelectorRules& rules) {
  const Pod pod = pod_of(row);
  const Node node = node_of(row);
  const auto& terms = node_affinity_of(pod).preferred_during_scheduling_ignored_during_execution;
  json::object got;
  const Result<std::int64_t> score = rules.node.preferred(terms, node);
  if (!score) {
    put_error(got, row, score.error().text());
    return got;
  }
  got["score"] = *score;
  if (const std::int64_t on_set = rules.node_set.preferred(terms, node); on_set != *score) {
    got["onSet"] = on_set;
  }
  return got;
}

json::object check_volume(const json::object& row, const SelectorRules& rules) {
  const auto volume = read<api::PersistentVolume>(
      {{"spec", {{"nodeAffinity", field_or_null(row, "volumeNodeAffinity")}}}});
  const Node node = node_of(row);
  json::object got;
  put_outcome(got,
              row,
              rules.node.volume(volume.spec.node_affinity, node),
              rules.node_set.volume(volume.spec.node_affinity, node));
  return got;
}

json::object check_label_selector(const json::object& row, const SelectorRules& rules) {
  const auto set =
      read<api::ReplicaSet>({{"spec", {{"selector", field_or_null(row, "labelSelector")}}}});
  const Result<bool> match =
      rules.label_selector(set.spec.selector, node_with_labels(row).metadata.labels);
  json::object got;
  if (match) {
    got["match"] = *match;
  } else {
    put_error(got, row, match.error().text());
  }
  return got;
}

json::object check_topologies(const json::object& row, const SelectorRules& rules) {
  const auto storage_class =
      read<api::StorageClass>({{"allowedTopologies", field_or_null(row, "allowedTopologies")}});
  const auto& terms = storage_class.allowed_topologies;
  const Node node = node_with_labels(row);
  json::object got;
  put_outcome(got,
              row,
              {.is_match = rules.node.topologies(terms, node)},
              rules.node_set.topologies(terms, node));
  return got;
}

json::object check_tolerations(const json::object& row, const SelectorRules& rules) {
  using Comparison = SelectorRules::Comparison;
  const Pod pod = pod_of(row);
  const Node node = read<Node>({{"spec", {{"taints", field_or_null(row, "taints")}}}});
  const std::vector<api::Taint>& taints = node.spec.taints;
  const std::vector<api::Toleration>& tolerations = pod.spec.tolerations;
  json::object got;
  for (const auto& [suffix, comparison] :
       {std::pair{"", Comparison::kOff}, std::pair{"WithComparisonOperators", Comparison::kOn}}) {
    json::array tolerated;
    for (const api::Taint& taint : taints) {
      tolerated.emplace_back(rules.tolerates(tolerations, taint, comparison));
    }
    got[std::string("tolerated") + suffix] = std::move(tolerated);
    const api::Taint* const first = rules.untolerated(taints, tolerations, comparison);
    if (first != nullptr) {
      const auto place = static_cast<std::size_t>(first - taints.data());
      got[std::string("firstUntolerated") + suffix] = row.at("taints").at(place);
    }
    if (comparison == Comparison::kOff) {
      got["match"] = first == nullptr;
    }
  }
  return got;
}

struct SelectorKind {
  std::string_view name;
  json::object (*check)(const json::object& row, const SelectorRules& rules);
};

constexpr std::array kKinds{
    SelectorKind{"nodeSelector", check_node_selector},
    SelectorKind{"podRequired", check_required},
    SelectorKind{"podPreferred", check_preferred},
    SelectorKind{"volumeNodeAffinity", check_volume},
    SelectorKind{"labelSelector", check_label_selector},
    SelectorKind{"allowedTopologies", check_topologies},
    SelectorKind{"tolerations", check_tolerations},
};

const SelectorKind* find_kind(const json::object& row) {
  const json::value* const kind = row.if_contains("kind");
  if (kind == nullptr || !kind->is_string()) {
    return nullptr;
  }
  const std::string_view name = kind->get_string();
  const auto found = std::ranges::find(kKinds, name, &SelectorKind::name);
  return found == kKinds.end() ? nullptr : found;
}

}  // namespace

bool is_selector_row(const json::object& row) {
  return find_kind(row) != nullptr;
}

Differences check_selector_row(const json::object& row, const SelectorRules& rules) {
  const SelectorKind* const kind = find_kind(row);
  if (kind == nullptr) {
    throw std::invalid_argument("not a row of this set");
  }
  json::object expected = row;
  for (const std::string_view input : {"id",
                                       "tags",
                                       "kind",
                                       "node",
                                       "labels",
                                       "nodeSelector",
                                       "podNodeSelector",
                                       "preferred",
                                       "volumeNodeAffinity",
                                       "labelSelector",
                                       "allowedTopologies",
                                       "taints",
                                       "tolerations"}) {
    expected.stable_erase(input);
  }
  return compare(expected, kind->check(row, rules));
}

}  // namespace berth::vector_check
