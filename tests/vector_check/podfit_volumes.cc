#include "podfit_volumes.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "api/rules/node_label_index.h"
#include "base/node_set.h"
#include "difference.h"
#include "volumes/answer.h"
#include "volumes/catalog.h"
#include "volumes/limits.h"
#include "volumes/related_switches.h"
#include "volumes/restrictions.h"
#include "volumes/rules.h"
#include "volumes/view.h"
#include "volumes/view_objects.h"
#include "volumes/zones.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;
using volumes::Answer;
using volumes::Code;

constexpr std::array kPlugins = {"NodeVolumeLimits", "VolumeRestrictions", "VolumeZone"};

template <typename Object>
std::shared_ptr<const Object> read(const json::value& value) {
  auto result = api::from_json<Object>(json::serialize(value));
  if (!result) {
    throw std::invalid_argument(result.error().text());
  }
  return std::make_shared<const Object>(*std::move(result));
}

template <typename Object>
std::vector<std::shared_ptr<const Object>> read_list(const json::object& objects,
                                                     std::string_view resource) {
  std::vector<std::shared_ptr<const Object>> result;
  if (const json::value* list = objects.if_contains(resource)) {
    for (const json::value& value : list->as_array()) {
      result.push_back(read<Object>(value));
    }
  }
  return result;
}

std::string_view name_of(Code code) {
  switch (code) {
    case Code::kSuccess:
      return "Success";
    case Code::kSkip:
      return "Skip";
    case Code::kUnschedulable:
      return "Unschedulable";
    case Code::kUnresolvable:
      return "UnschedulableAndUnresolvable";
    case Code::kError:
      return "Error";
  }
  return "";
}

json::object status(const Answer& answer) {
  json::object result{{"code", name_of(answer.code)}};
  if (!answer.reasons.empty()) {
    result["reasons"] = json::array(answer.reasons.begin(), answer.reasons.end());
  }
  return result;
}

// The row's cluster. What is on nodes comes first and what explains it later, so that everything
// that is counted has to be counted again.
class Cluster {
 public:
  Cluster(const json::object& objects, const volumes::RelatedSwitches& switches)
      : objects_(catalog_.now()),
        limits_(objects_, {.switches = switches}),
        restrictions_(switches),
        switches_(switches) {
    for (auto& pod : read_list<api::Pod>(objects, "pods")) {
      restrictions_.set_pod(*pod);
      limits_.set_pod(std::move(pod));
    }
    for (auto& attachment : read_list<api::VolumeAttachment>(objects, "volumeattachments")) {
      limits_.set_attachment(std::move(attachment));
    }
    add_nodes(objects);
    add_storage(objects);
  }

  json::object ask(const api::Pod& pod) const {
    const volumes::AttachRequest request = limits_.now().request(pod, objects_);
    const volumes::RestrictionCheck check = restrictions_.now().check(pod, objects_);
    const volumes::ZoneCheck zones = volumes::check_zones(pod, objects_, switches_);
    const volumes::View& view = catalog_.now();
    return {
        {"NodeVolumeLimits",
         outcome(
             request.answer,
             [&](NodeSet& nodes) { limits_.now().narrow(request, nodes); },
             [&](std::size_t node) { return limits_.now().on_node(request, node); })},
        {"VolumeRestrictions",
         outcome(
             check.answer,
             [&](NodeSet& nodes) {
               restrictions_.now().narrow(check, view.nodes_by_name(), nodes);
             },
             [&](std::size_t node) {
               return restrictions_.now().on_node(check, view.node(node)->metadata.name);
             })},
        {"VolumeZone",
         outcome(
             zones.answer,
             [&](NodeSet& nodes) { zones.narrow(labels_, nodes); },
             [&](std::size_t node) { return zones.on_node(view.node(node)->metadata.labels); })}};
  }

 private:
  void add_nodes(const json::object& objects) {
    for (auto& node : read_list<api::Node>(objects, "nodes")) {
      catalog_.set(std::move(node));
    }
    const volumes::View& view = catalog_.now();
    labels_.resize(view.node_limit());
    view.nodes().for_each([&](std::size_t number) {
      const api::ObjectMeta& metadata = view.node(number)->metadata;
      limits_.set_node(metadata.name, number);
      labels_.set(number, metadata.name, metadata.labels);
    });
    for (const auto& node : read_list<api::CSINode>(objects, "csinodes")) {
      limits_.set_csi_node(*node);
    }
  }

  void add_storage(const json::object& objects) {
    for (auto& driver : read_list<api::CSIDriver>(objects, "csidrivers")) {
      catalog_.set(std::move(driver));
    }
    for (const auto& claim :
         read_list<api::PersistentVolumeClaim>(objects, "persistentvolumeclaims")) {
      catalog_.set(claim);
      limits_.claim_changed(volumes::claim_key(*claim));
    }
    for (const auto& volume : read_list<api::PersistentVolume>(objects, "persistentvolumes")) {
      catalog_.set(volume);
      limits_.volume_changed(volume->metadata.name);
    }
    for (const auto& storage_class : read_list<api::StorageClass>(objects, "storageclasses")) {
      catalog_.set(storage_class);
      limits_.class_changed(storage_class->metadata.name);
    }
  }

  // As a row records it. A node whose own answer is not that of all nodes together is marked.
  json::object outcome(const Answer& pre_filter,
                       const std::function<void(NodeSet&)>& narrow,
                       const std::function<Answer(std::size_t)>& on_node) const {
    json::object result{{"preFilter", status(pre_filter)}};
    if (!pre_filter.is_success()) {
      return result;
    }
    const volumes::View& view = catalog_.now();
    NodeSet left = view.nodes();
    narrow(left);
    json::object nodes;
    view.nodes().for_each([&](std::size_t number) {
      const Answer answer = on_node(number);
      json::object told = status(answer);
      if (left.test(number) != answer.is_success()) {
        told["amongAllNodes"] = left.test(number) ? "in" : "out";
      }
      nodes[view.node(number)->metadata.name] = std::move(told);
    });
    result["nodes"] = std::move(nodes);
    return result;
  }

  volumes::Catalog catalog_;
  const volumes::ViewObjects objects_;
  volumes::AttachTable limits_;
  volumes::RestrictionTable restrictions_;
  const volumes::RelatedSwitches switches_;
  api::NodeLabelIndex labels_;
};

}  // namespace

bool is_podfit_row(const json::object& row) {
  const json::value* expect = row.if_contains("expect");
  const json::value* filter = expect == nullptr || !expect->is_object()
                                  ? nullptr
                                  : expect->get_object().if_contains("filter");
  return filter != nullptr && filter->is_object() && filter->get_object().contains(kPlugins[0]);
}

Differences check_podfit_row(const json::object& row, const volumes::RelatedSwitches& switches) {
  json::object expected;
  for (const char* const plugin : kPlugins) {
    expected[plugin] = row.at("expect").at("filter").at(plugin);
  }
  const Cluster cluster(row.at("objects").as_object(), switches);
  return compare(expected, cluster.ask(*read<api::Pod>(row.at("pod"))));
}

}  // namespace berth::vector_check
