#include "volumes/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/attached_volumes.h"
#include "volumes/node_attachments.h"
#include "volumes/objects.h"
#include "volumes/pod_changes.h"

namespace berth::volumes {
namespace {

using OfDriver = AttachRequest::Wanted::OfDriver;

bool is_opted_in(const Objects& objects, const std::string& driver) {
  const api::CSIDriver* object = objects.find_driver(driver);
  return object != nullptr && object->spec.prevent_pod_scheduling_if_missing.value_or(false);
}

AttachRequest::Wanted wanted(AttachedVolumes found, const Objects& objects) {
  AttachRequest::Wanted result;
  result.fault = std::move(found.fault);
  // Ids of one driver are not always next to each other in the order of ids.
  std::ranges::sort(found.volumes, [](const AttachedVolume& a, const AttachedVolume& b) {
    return std::tie(a.driver, a.id) < std::tie(b.driver, b.id);
  });
  for (AttachedVolume& volume : found.volumes) {
    if (result.drivers.empty() || result.drivers.back().driver != volume.driver) {
      result.drivers.push_back({.driver = volume.driver,
                                .ids = {},
                                .must_be_installed = is_opted_in(objects, volume.driver)});
    }
    result.drivers.back().ids.push_back(std::move(volume.id));
  }
  return result;
}

// Volumes of the request that take a place on the node they do not have yet.
std::int64_t count_new(const std::vector<std::string>& ids,
                       const NodeAttachments& node,
                       bool count_attached_once) {
  return std::ranges::count_if(ids, [&](const std::string& id) {
    return !node.is_used(id) && !(count_attached_once && node.is_attached(id));
  });
}

bool has_room(const OfDriver& wanted, const NodeAttachments& node, bool count_attached_once) {
  const std::optional<std::int64_t> limit = node.find_limit(wanted.driver);
  if (!limit) {
    return true;
  }
  const std::int64_t present = node.count(wanted.driver);
  if (present + static_cast<std::int64_t>(wanted.ids.size()) <= *limit) {
    return true;
  }
  const std::int64_t added = count_new(wanted.ids, node, count_attached_once);
  // A full node takes who needs no further place, even one that is more than full.
  return added == 0 || present + added <= *limit;
}

const AttachRequest::Wanted& wanted_on(const AttachRequest& request, const NodeAttachments& node) {
  return node.has_csi_node() ? request.with_csi_node : request.without_csi_node;
}

// The first driver the pod cannot do without and the node has not; null if there is none.
const OfDriver* find_missing(const AttachRequest::Wanted& wanted, const NodeAttachments& node) {
  const auto missing = std::ranges::find_if(wanted.drivers, [&node](const OfDriver& of_driver) {
    return of_driver.must_be_installed && !node.is_installed(of_driver.driver);
  });
  return missing == wanted.drivers.end() ? nullptr : &*missing;
}

}  // namespace

AttachRequest AttachView::request(const api::Pod& pod, const Objects& objects) const {
  AttachRequest request;
  if (!has_attachable_volumes(pod)) {
    request.answer = Answer::skip();
    return request;
  }
  request.with_csi_node = wanted(attached_volumes(pod, PodStage::kNew, objects, true), objects);
  request.without_csi_node = wanted(attached_volumes(pod, PodStage::kNew, objects, false), objects);
  return request;
}

void AttachView::narrow(const AttachRequest& request, NodeSet& nodes) const {
  NodeSet refused(nodes.size());
  nodes.for_each([&](std::size_t node) {
    if (judge(request, attachments(node)) != Verdict::kFits) {
      refused.set(node);
    }
  });
  nodes.subtract(refused);
}

Answer AttachView::on_node(const AttachRequest& request, std::size_t node) const {
  return explain(request, attachments(node));
}

Answer AttachView::on_node(const AttachRequest& request,
                           std::size_t node,
                           const PodChanges& changes,
                           const Objects& objects) const {
  if (changes.empty()) {
    return on_node(request, node);
  }
  NodeAttachments supposed = attachments(node);
  for (const std::string& uid : changes.removed) {
    supposed.remove_pod(uid);
  }
  // Whoever is added comes after all that are there.
  std::uint64_t order = UINT64_MAX - changes.added.size();
  for (const api::Pod* pod : changes.added) {
    supposed.set_pod(pod->metadata.uid,
                     ++order,
                     std::make_shared<AttachedVolumes>(attached_volumes(
                         *pod, PodStage::kRunning, objects, supposed.has_csi_node())));
  }
  return explain(request, supposed);
}

const NodeAttachments& AttachView::attachments(std::size_t node) const {
  static const NodeAttachments kNothing;
  return node < nodes_.size() && nodes_[node] ? *nodes_[node] : kNothing;
}

AttachView::Verdict AttachView::judge(const AttachRequest& request,
                                      const NodeAttachments& node) const {
  const AttachRequest::Wanted& wanted = wanted_on(request, node);
  if (wanted.fault) {
    return Verdict::kFault;
  }
  if (wanted.drivers.empty()) {
    return Verdict::kFits;
  }
  if (options_.volume_limit_scaling && find_missing(wanted, node) != nullptr) {
    return Verdict::kDriverMissing;
  }
  if (!node.has_limits()) {
    return Verdict::kFits;
  }
  if (!options_.switches.forgive_running_pods && node.find_fault() != nullptr) {
    return Verdict::kPodAtFault;
  }
  const bool once = options_.switches.count_attached_once;
  const bool fits = std::ranges::all_of(
      wanted.drivers, [&](const OfDriver& of_driver) { return has_room(of_driver, node, once); });
  return fits ? Verdict::kFits : Verdict::kTooMany;
}

Answer AttachView::explain(const AttachRequest& request, const NodeAttachments& node) const {
  const AttachRequest::Wanted& wanted = wanted_on(request, node);
  switch (judge(request, node)) {
    case Verdict::kFits:
      break;
    case Verdict::kFault:
      return *wanted.fault;
    case Verdict::kDriverMissing:
      return Answer::unschedulable(fmt::format("{} CSI driver is not installed on the node",
                                               find_missing(wanted, node)->driver));
    case Verdict::kPodAtFault:
      return *node.find_fault();
    case Verdict::kTooMany:
      return Answer::unschedulable(kTooManyVolumes);
  }
  return Answer::success();
}

}  // namespace berth::volumes
