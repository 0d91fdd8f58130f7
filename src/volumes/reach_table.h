// Every reach that some object has, once, and the nodes it holds for, which follow the nodes as
// they come, change and go.
//
// A change of a node costs what it can matter to: each term of a reach is filed under one label
// that a node must have for it (its anchor), and a node that changes asks those filed under its
// labels, before and after. Terms that need no label at all are asked for every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/rules/node_label_index.h"
#include "base/hash_map.h"
#include "volumes/reach.h"
#include "volumes/view.h"

namespace berth::volumes {

// Every node: of volumes without a node affinity.
inline constexpr ReachId kEverywhere = 0;

class ReachTable {
 public:
  // Keeps the reaches of `view`; both outlive it.
  ReachTable(View& view, const api::NodeLabelIndex& labels);

  // The id of this reach, until it was released as often as it was acquired.
  ReachId acquire(Reach reach);
  void release(ReachId id);

  // The numbering has grown to the view's limit.
  void grow();
  // A node came (before is null), changed its labels, or went (after is null). The index of labels
  // shows it already.
  void follow(std::size_t node, const api::StringMap* before, const api::StringMap* after);

 private:
  using Ids = HashSet<ReachId>;
  struct Keeping {
    std::uint32_t holders = 0;
    std::string identity;
    std::vector<std::string> anchors;  // keys of anchored_; of a term without: none
    bool is_bare = false;              // some term has no anchor
  };

  ReachId take_slot();
  void find_nodes(ReachId id);
  void drop_anchors(ReachId id);
  std::vector<std::string> choose_anchor(const Reach::Term& term) const;
  void refresh(ReachId id, std::size_t node, const api::StringMap* after);
  template <typename Visit>
  void visit_anchored(const api::StringMap& labels, Visit&& visit) const;

  View& view_;
  const api::NodeLabelIndex& labels_;
  HashMap<std::string, ReachId> by_identity_;
  std::vector<Keeping> kept_;  // by id
  std::vector<ReachId> unused_;
  HashMap<std::string, Ids> anchored_;  // by label "key\0value", or "key" for any value
  Ids bare_;
};

}  // namespace berth::volumes
