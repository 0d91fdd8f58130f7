// Where Berth does better than upstream, one named switch each, in the order of section 12.2 of the
// behaviour specification. All on is what ships; all off is upstream to the letter. Items 10
// and 11 need none: there is one ledger, and a plan is never changed by assuming it. Nor do the
// crashes of item 17, since they are nothing to agree with.
#pragma once

#include <array>
#include <string_view>

namespace berth::volumes {

struct Switches {
  // 1: a failed binding takes back what it wrote, and all items are verified before the first
  // write.
  bool undo = true;
  // 2: where matching claims one by one fails, look for any assignment of volumes to claims.
  bool full_matching = true;
  // 3: a volume that names the claim is the only one it can get; no provisioning beside it.
  bool exclusive_prebound = true;
  // 4: a volume that names the claim must offer the claim's access modes.
  bool prebound_modes = true;
  // 6: the volume a claim is really bound to must be the planned one, or reach the node too.
  bool verify_bound_volume = true;
  // 7: pods and claims are compared by uid while waiting.
  bool verify_uids = true;
  // 8: a claim that several volumes of a pod name is planned once.
  bool merge_same_claim = true;
  // 9: a promise lasts until its last owner gives it back.
  bool count_owners = true;
  // 12: capacity that is promised and not yet used up is subtracted.
  bool subtract_capacity = true;
  // 13: a claim that is being provisioned on the node is not asked for capacity again.
  bool trust_started_provisioning = true;
  // 14: a selected node that no longer exists is ignored and overwritten.
  bool ignore_dead_selection = true;
  // 17: sizes beyond 64 bits count as the largest there is, where upstream's wrap around.
  bool exact_sizes = true;
  // 12.1.3: all items of a wait are looked at; a failure behind a pending item counts.
  bool look_at_all_items = true;
  // 21: a claim that is going away is not bound any more.
  bool refuse_deleted_claims = true;
  // 12.1.2, 12.3.7: nothing is sent that changes nothing, and independent writes go out together.
  bool skip_noop_writes = true;
  // 12.1.5: a conflict is answered by reading, checking and writing again.
  bool retry_conflicts = true;
  // 12.1.7: a claim counts as bound when its status says so too.
  bool wait_for_phase = true;

  static Switches upstream();
};

// For command lines and reports.
struct NamedSwitch {
  std::string_view name;
  bool Switches::* member;
};
inline constexpr std::array kSwitches = {
    NamedSwitch{"undo", &Switches::undo},
    NamedSwitch{"full-matching", &Switches::full_matching},
    NamedSwitch{"exclusive-prebound", &Switches::exclusive_prebound},
    NamedSwitch{"prebound-modes", &Switches::prebound_modes},
    NamedSwitch{"verify-bound-volume", &Switches::verify_bound_volume},
    NamedSwitch{"verify-uids", &Switches::verify_uids},
    NamedSwitch{"merge-same-claim", &Switches::merge_same_claim},
    NamedSwitch{"count-owners", &Switches::count_owners},
    NamedSwitch{"subtract-capacity", &Switches::subtract_capacity},
    NamedSwitch{"trust-started-provisioning", &Switches::trust_started_provisioning},
    NamedSwitch{"ignore-dead-selection", &Switches::ignore_dead_selection},
    NamedSwitch{"exact-sizes", &Switches::exact_sizes},
    NamedSwitch{"look-at-all-items", &Switches::look_at_all_items},
    NamedSwitch{"refuse-deleted-claims", &Switches::refuse_deleted_claims},
    NamedSwitch{"skip-noop-writes", &Switches::skip_noop_writes},
    NamedSwitch{"retry-conflicts", &Switches::retry_conflicts},
    NamedSwitch{"wait-for-phase", &Switches::wait_for_phase},
};

}  // namespace berth::volumes
