// From which nodes something can be reached: a volume by its node affinity, a class by its allowed
// topologies, a pool of capacity by its node topology. Compiled once, and shared by all objects
// that say the same.
//
// The nodes themselves are kept by ReachTable, which follows the nodes as they change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/rules/requirement.h"

namespace berth::volumes {

class Reach {
 public:
  // Names of nodes are not known to this check: requirements on fields are left out, and a term of
  // nothing else matches every node. Terms with a fault match nothing.
  static Reach of_affinity(const api::Box<api::VolumeNodeAffinity>& affinity);
  static Reach of_topologies(const std::vector<api::TopologySelectorTerm>& terms);
  // An absent or invalid selector reaches nothing.
  static Reach of_selector(const api::Box<api::LabelSelector>& selector);

  bool matches(const api::StringMap& labels) const;
  // In upstream's words, for a node that does not match.
  const std::string& mismatch_text() const { return mismatch_text_; }

  // One of them must match, all requirements of it. A term without requirements matches all.
  using Term = std::vector<api::Requirement>;
  const std::vector<Term>& terms() const { return terms_; }
  // Whether every node is reached, whatever its labels.
  bool is_everywhere() const;
  // Equal for what means the same, written the same way.
  std::string identity() const;

 private:
  std::vector<Term> terms_;
  std::string mismatch_text_;
};

using ReachId = std::uint32_t;

}  // namespace berth::volumes
