#include "framework/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/node_set.h"
#include "framework/status.h"

namespace berth::framework {

void Diagnosis::leave_out(NodeSet nodes, Status status) {
  left_out_.push_back({.nodes = std::move(nodes), .status = std::move(status)});
}

void Diagnosis::refuse(std::size_t plugin, NodeSet nodes) {
  if (nodes.any()) {
    refusals_.push_back({.plugin = plugin, .nodes = std::move(nodes)});
  }
}

void Diagnosis::refuse(std::size_t node, Status status) {
  known_.emplace_back(node, std::move(status));
}

NodeSet Diagnosis::resolvable() const {
  NodeSet resolvable(nodes_.size());
  for (const std::size_t node : nodes_) {
    const Status status = status_of(node);
    if (status.code() == Code::kUnschedulable || status.code() == Code::kPending) {
      resolvable.set(node);
    }
  }
  return resolvable;
}

Status Diagnosis::status_of(std::size_t node) const {
  if (!for_all_.is_success()) {
    return for_all_;
  }
  for (const LeftOut& left_out : left_out_) {
    if (left_out.nodes.test(node)) {
      return left_out.status;
    }
  }
  const auto known = std::ranges::find(known_, node, &std::pair<std::size_t, Status>::first);
  if (known != known_.end()) {
    return known->second;
  }
  for (const Refusal& refusal : refusals_) {
    if (refusal.nodes.test(node)) {
      return explain_(refusal.plugin, node);
    }
  }
  return Status::success();
}

ReasonCounts Diagnosis::count_reasons() const {
  ReasonCounts counts;
  for (const std::size_t node : nodes_) {
    const Status status = status_of(node);
    if (status.is_success()) {
      continue;
    }
    if (!status.plugin().empty()) {
      (status.code() == Code::kPending ? counts.pending_plugins : counts.unschedulable_plugins)
          .insert(status.plugin());
    }
    if (status.reasons().empty()) {
      ++counts.nodes_by_text[status.message()];
    }
    for (const Reason& reason : status.reasons()) {
      ++counts.nodes_by_text[reason.text()];
    }
  }
  return counts;
}

std::string Diagnosis::text(const std::string& post_filter_message) const {
  std::string text = fmt::format("0/{} nodes are available:", node_count());
  if (!for_all_.is_success()) {
    text += fmt::format(" {}.", for_all_.message());
  } else {
    std::vector<std::string> parts;
    for (const auto& [reason, count] : count_reasons().nodes_by_text) {
      parts.push_back(fmt::format("{} {}", count, reason));
    }
    // As strings: "10 a" comes before "2 b", as upstream has it.
    std::ranges::sort(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      text.append(i == 0 ? " " : ", ").append(parts[i]);
    }
    text += parts.empty() ? "" : ".";
  }
  if (!post_filter_message.empty()) {
    text.append(" ").append(post_filter_message);
  }
  return text;
}

}  // namespace berth::framework
