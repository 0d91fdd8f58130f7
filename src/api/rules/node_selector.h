// Node selectors, compiled once and evaluated many times: against one node, or against all nodes of
// a NodeLabelIndex at once.
//
// A selector is a list of terms of which one must match; a term is a list of requirements on labels
// and on fields that must all be fulfilled. A term without requirements matches no node. A term
// with a fault (an unknown operator, a key that is no label key) matches no node either, and the
// fault is told only where no other term matches; strict callers refuse a selector with a fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/rules/field_errors.h"
#include "api/rules/node_label_index.h"
#include "api/rules/requirement.h"
#include "base/error.h"
#include "base/node_set.h"

namespace berth::api {

// Whether a node matches, and what to say if it does not because something is wrong with what was
// asked. `error` lives as long as what was evaluated.
struct NodeMatch {
  bool is_match = false;
  const Error* error = nullptr;
};

// Room for evaluating over an index. Keep one and pass it each time: nothing is allocated while the
// index keeps its size.
struct NodeScratch {
  NodeSet matched;
  NodeSet term;
  NodeSet found;
};

// A requirement on a field of the node. Only metadata.name has a value; other fields are empty.
struct FieldRequirement {
  bool is_name = false;
  bool is_negated = false;
  std::string value;

  bool accepts(std::string_view actual) const { return (actual == value) != is_negated; }
  // A node without a name is one whose fields are not known: it fulfils all requirements on them.
  bool matches(std::string_view node_name) const {
    return node_name.empty() || accepts(is_name ? node_name : "");
  }
};

class CompiledNodeSelectorTerm {
 public:
  // Nothing for a term with a fault, which then stands in `errors` below `path`. `term` has
  // requirements.
  static std::optional<CompiledNodeSelectorTerm> compile(const NodeSelectorTerm& term,
                                                         std::string_view path,
                                                         FieldErrors& errors);
  static bool is_empty(const NodeSelectorTerm& term);

  // Fields are not looked at when `name` is empty: the node is then known by its labels only.
  bool matches(std::string_view name, const StringMap& labels) const;
  // Takes out of `nodes` what does not match.
  void narrow(const NodeLabelIndex& index, NodeSet& nodes, NodeSet& scratch) const;

  void forget_fields() { fields_.clear(); }
  // Those on labels.
  const std::vector<Requirement>& requirements() const { return labels_; }

 private:
  std::vector<Requirement> labels_;
  std::vector<FieldRequirement> fields_;
};

class CompiledNodeSelector {
 public:
  enum class Fields : std::uint8_t {
    kMatch,
    kIgnore,  // checked for faults, then left out; a term of fields alone matches every node
  };

  static CompiledNodeSelector compile(const NodeSelector& selector, Fields fields = Fields::kMatch);

  // Those that can match: without empty ones and those with a fault.
  const std::vector<CompiledNodeSelectorTerm>& terms() const { return terms_; }
  // All faults of all terms, in upstream's words.
  const std::optional<Error>& fault() const { return fault_; }

  // The error is the fault, if there is one and no term matches. Allocates nothing.
  NodeMatch match(std::string_view name, const StringMap& labels) const;
  // Takes out of `nodes` what does not match or is not in the index. `nodes` has the index's size.
  void narrow(const NodeLabelIndex& index, NodeSet& nodes, NodeScratch& scratch) const;

 private:
  std::vector<CompiledNodeSelectorTerm> terms_;
  std::optional<Error> fault_;
};

}  // namespace berth::api
