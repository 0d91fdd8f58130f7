#include "api/rules/node_label_index.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/rules/requirement.h"
#include "base/assert.h"
#include "base/node_set.h"

namespace berth::api {
namespace {

void clear(NodeSet& set) {
  set.subtract(set);
}

}  // namespace

void NodeLabelIndex::resize(std::size_t size) {
  nodes_.resize(size);
  records_.resize(size);
  for (auto& [key_text, key] : keys_) {
    key.nodes.resize(size);
    for (auto& [value_text, value] : key.values) {
      value.nodes.resize(size);
    }
  }
}

void NodeLabelIndex::set(std::size_t node, std::string_view name, const StringMap& labels) {
  BERTH_ASSERT(!name.empty(), "a node that has a number has a name");
  rename(node, name);
  nodes_.set(node);

  // Both are sorted by key: a label on one side only came or went.
  std::vector<Label> current;
  current.reserve(labels.size());
  std::vector<Label>& previous = records_[node].labels;
  auto old = previous.begin();
  for (const auto& [key, value] : labels) {
    for (; old != previous.end() && old->key->first < key; ++old) {
      leave(node, *old);
    }
    const bool had_key = old != previous.end() && old->key->first == key;
    if (had_key && old->value->first == value) {
      current.push_back(*old++);
      continue;
    }
    if (had_key) {
      leave(node, *old++);
    }
    current.push_back(join(node, key, value));
  }
  for (; old != previous.end(); ++old) {
    leave(node, *old);
  }
  previous = std::move(current);
}

void NodeLabelIndex::remove(std::size_t node) {
  if (!nodes_.test(node)) {
    return;
  }
  nodes_.reset(node);
  Record& record = records_[node];
  for (const Label& label : record.labels) {
    leave(node, label);
  }
  numbers_.erase(record.name);
  record = {};
}

std::optional<std::size_t> NodeLabelIndex::find_node(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) {
    return std::nullopt;
  }
  return found->second;
}

void NodeLabelIndex::rename(std::size_t node, std::string_view name) {
  Record& record = records_[node];
  if (record.name == name) {
    return;
  }
  if (!record.name.empty()) {
    numbers_.erase(record.name);
  }
  record.name = name;
  const bool is_new = numbers_.emplace(record.name, node).second;
  BERTH_ASSERT(is_new, "two numbers do not stand for one node");
}

NodeLabelIndex::Label NodeLabelIndex::join(std::size_t node,
                                           std::string_view key,
                                           std::string_view value) {
  auto key_place = keys_.find(key);
  if (key_place == keys_.end()) {
    key_place = keys_.emplace(key, Key{.nodes = NodeGroup(size())}).first;
  }
  Values& values = key_place->second.values;
  auto value_place = values.find(value);
  if (value_place == values.end()) {
    const Value fresh{.number = label_number(value), .nodes = NodeGroup(size())};
    value_place = values.emplace(value, fresh).first;
  }
  key_place->second.nodes.insert(node);
  value_place->second.nodes.insert(node);
  return {.key = key_place, .value = value_place};
}

void NodeLabelIndex::leave(std::size_t node, const Label& label) {
  Key& key = label.key->second;
  label.value->second.nodes.erase(node);
  if (label.value->second.nodes.empty()) {
    key.values.erase(label.value);
  }
  key.nodes.erase(node);
  if (key.nodes.empty()) {
    keys_.erase(label.key);
  }
}

void NodeLabelIndex::narrow(const Requirement& requirement,
                            NodeSet& nodes,
                            NodeSet& scratch) const {
  const auto key = keys_.find(requirement.key);
  const bool is_absent_accepted = requirement.accepts_absent();
  if (key == keys_.end()) {
    if (!is_absent_accepted) {
      clear(nodes);
    }
    return;
  }
  clear(scratch);
  collect(requirement, key->second, scratch);
  if (is_absent_accepted) {
    nodes.subtract(scratch);
  } else {
    nodes &= scratch;
  }
}

// The nodes that have the key and decide: those with an accepted value, or, where nodes without the
// key are accepted too, those with a refused one.
void NodeLabelIndex::collect(const Requirement& requirement, const Key& key, NodeSet& out) const {
  using Operator = Requirement::Operator;
  const Operator op = requirement.op;
  if (op == Operator::kExists || op == Operator::kDoesNotExist) {
    key.nodes.add_to(out);
    return;
  }
  const bool names_values = op == Operator::kIn || op == Operator::kNotIn;
  if (names_values && requirement.values.size() < key.values.size()) {
    for (const std::string& text : requirement.values) {
      if (const auto value = key.values.find(text); value != key.values.end()) {
        value->second.nodes.add_to(out);
      }
    }
    return;
  }
  for (const auto& [text, value] : key.values) {
    if (requirement.accepts(text, value.number) != requirement.accepts_absent()) {
      value.nodes.add_to(out);
    }
  }
}

}  // namespace berth::api
