// The labels of all nodes, by label: for each key and each of its values the nodes that have it.
//
// It is what makes node selectors fast. A requirement is answered for all nodes at once by joining
// the groups of the values it accepts, instead of looking into the labels of each node: at 5,000
// nodes that is some hundred words of bits for a value, and a search for a text once per
// requirement instead of once per node. Because selectors keep texts and are resolved when they
// are evaluated, a compiled selector is independent of any index and stays right when new keys,
// values and nodes appear; and texts that only selectors name take no room here. Numbers for Gt and
// Lt are parsed once for each distinct value.
//
// Nodes are known by their number in the numbering the caller keeps. Memory follows the number of
// labels: rare values cost a list entry per node, frequent ones a bit per node of the numbering.
//
//   NodeLabelIndex index(numbering.size());
//   index.set(number, node.metadata.name, node.metadata.labels);   // it came or changed
//   index.remove(number);                                          // it went
//
// One thread changes it; while nobody does, several may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/rules/node_group.h"
#include "api/rules/requirement.h"
#include "base/hash_map.h"
#include "base/node_set.h"

namespace berth::api {

class NodeLabelIndex {
 public:
  explicit NodeLabelIndex(std::size_t size = 0) : nodes_(size), records_(size) {}
  NodeLabelIndex(const NodeLabelIndex&) = delete;  // records point into the maps
  NodeLabelIndex& operator=(const NodeLabelIndex&) = delete;
  ~NodeLabelIndex() = default;

  // The size of the numbering; it only grows. Growing visits every group: grow in large steps.
  std::size_t size() const { return nodes_.size(); }
  void resize(std::size_t size);

  // The node with this number has this name and these labels from now on. Costs what changed. No
  // other number has the name, and it is not empty.
  void set(std::size_t node, std::string_view name, const StringMap& labels);
  // There is no node with this number any more. Nothing happens if there was none.
  void remove(std::size_t node);

  // The numbers in use.
  const NodeSet& nodes() const { return nodes_; }
  std::optional<std::size_t> find_node(std::string_view name) const;

  // Takes out of `nodes` what does not fulfil `requirement`. Both sets have this index's size;
  // `scratch` is overwritten. Allocates nothing.
  void narrow(const Requirement& requirement, NodeSet& nodes, NodeSet& scratch) const;

 private:
  struct Value {
    std::optional<std::int64_t> number;
    NodeGroup nodes;
  };
  using Values = std::map<std::string, Value, std::less<>>;
  struct Key {
    NodeGroup nodes;
    Values values;
  };
  using Keys = std::map<std::string, Key, std::less<>>;
  struct Label {
    Keys::iterator key;
    Values::iterator value;
  };
  struct Record {
    std::string name;
    std::vector<Label> labels;  // by key, ascending
  };

  Label join(std::size_t node, std::string_view key, std::string_view value);
  void leave(std::size_t node, const Label& label);
  void rename(std::size_t node, std::string_view name);
  void collect(const Requirement& requirement, const Key& key, NodeSet& out) const;

  NodeSet nodes_;
  std::vector<Record> records_;  // by number; empty where there is no node
  HashMap<std::string, std::size_t> numbers_;
  Keys keys_;  // without keys and values that no node has
};

}  // namespace berth::api
