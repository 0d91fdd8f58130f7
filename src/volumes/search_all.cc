// What Search says of all nodes at once, in sets.
#include <cstddef>
#include <utility>

#include "base/node_set.h"
#include "volumes/pod_claims.h"
#include "volumes/search.h"
#include "volumes/view.h"

namespace berth::volumes {

const NodeSet& Search::feasible() {
  if (feasible_) {
    return *feasible_;
  }
  NodeSet nodes = now_.nodes();
  narrow_to_bound(nodes);
  narrow_to_selected(nodes);
  const bool is_certain = narrow_to_wanted(nodes);
  if (!is_certain) {
    const NodeSet candidates = nodes;
    candidates.for_each([this, &nodes](std::size_t node) {
      if (!look_at(node).answer.is_success()) {
        nodes.reset(node);
      }
    });
  }
  feasible_ = std::move(nodes);
  return *feasible_;
}

void Search::narrow_to_bound(NodeSet& nodes) const {
  for (const ClaimEntryPtr& entry : claims_.bound) {
    const VolumeEntry* volume = now_.find_volume(entry->current()->spec.volume_name);
    if (volume == nullptr) {
      nodes = NodeSet(now_.node_limit());
      return;
    }
    if (!volume->plugin) {
      now_.reached(volume->reach).narrow(nodes);
      continue;
    }
    NodeSet as_it_is = nodes;
    NodeSet migrated(now_.node_limit());
    now_.migrated(*volume->plugin).add_to(migrated);
    as_it_is.subtract(migrated);
    now_.reached(volume->reach).narrow(as_it_is);
    NodeSet translated(now_.node_limit());
    if (!volume->translation_error) {
      translated = nodes;
      translated &= migrated;
      now_.reached(volume->translated_reach).narrow(translated);
    }
    as_it_is |= translated;
    nodes = std::move(as_it_is);
  }
}

void Search::narrow_to_selected(NodeSet& nodes) const {
  for (const Wanted& selected : selected_) {
    const auto number = now_.find_node_number(*selected.selected_node);
    const bool is_candidate = number && nodes.test(*number);
    nodes = NodeSet(now_.node_limit());
    if (!is_candidate) {
      return;
    }
    nodes.set(*number);
  }
}

// Leaves the nodes on which each claim alone could be met. True when that is the whole answer:
// otherwise claims may stand in each other's way, or something is wrong with one of them.
bool Search::narrow_to_wanted(NodeSet& nodes) {
  for (const Wanted& selected : selected_) {
    auto provisionable = provisioning_.nodes_for(*selected.entry);
    if (!provisionable) {
      return false;
    }
    nodes &= *provisionable;
  }
  for (const Wanted& wanted : wanted_) {
    if (wanted.entry->selector && !*wanted.entry->selector) {
      return false;
    }
    NodeSet met(now_.node_limit());
    const VolumeEntryPtr named = find_named(wanted, {});
    if (named != nullptr) {
      claims_.view.reached(named->reach).add_to(met);
    } else {
      met = wanted.free->nodes_for(*wanted.entry);
    }
    if (named == nullptr || !is_exclusive(*named, wanted)) {
      auto provisionable = provisioning_.nodes_for(*wanted.entry);
      if (!provisionable) {
        return false;
      }
      met |= *provisionable;
    }
    nodes &= met;
  }
  return !do_claims_interact_;
}

}  // namespace berth::volumes
