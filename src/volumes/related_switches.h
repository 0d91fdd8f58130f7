// Where the plugins beside VolumeBinding do better than upstream (12.2 item 20 of the behaviour
// specification), one named switch each. All on is what ships; all off is upstream to the letter.
#pragma once

#include <array>
#include <string_view>

namespace berth::volumes {

struct RelatedSwitches {
  // NodeVolumeLimits: a volume that is attached to the node already takes no further place there.
  bool count_attached_once = true;
  // NodeVolumeLimits: a volume of a running pod that cannot be told is left out; upstream fails
  // every attempt that looks at the pod's node.
  bool forgive_running_pods = true;
  // VolumeRestrictions: a pod of another namespace does not use our claim of the same name.
  bool compare_namespaces = true;
  // VolumeZone and VolumeRestrictions: the claims of ephemeral volumes count like others.
  bool see_ephemeral_claims = true;

  static RelatedSwitches upstream();
};

struct NamedRelatedSwitch {
  std::string_view name;
  bool RelatedSwitches::* member;
};
inline constexpr std::array kRelatedSwitches = {
    NamedRelatedSwitch{"count-attached-once", &RelatedSwitches::count_attached_once},
    NamedRelatedSwitch{"forgive-running-pods", &RelatedSwitches::forgive_running_pods},
    NamedRelatedSwitch{"compare-namespaces", &RelatedSwitches::compare_namespaces},
    NamedRelatedSwitch{"see-ephemeral-claims", &RelatedSwitches::see_ephemeral_claims},
};

}  // namespace berth::volumes
