// What a scheduler's cache keeps of a pod: what it decides by.
#pragma once

#include "api/mask.h"
#include "api/objects/pod.h"

namespace berth::bench {

inline api::Mask scheduler_mask() {
  return api::Mask::keeping<api::Pod>({
      "metadata.name",
      "metadata.namespace",
      "metadata.uid",
      "metadata.resourceVersion",
      "metadata.labels",
      "metadata.creationTimestamp",
      "metadata.deletionTimestamp",
      "metadata.ownerReferences",
      "spec.volumes",
      "spec.initContainers.resources",
      "spec.initContainers.restartPolicy",
      "spec.initContainers.ports",
      "spec.containers.resources",
      "spec.containers.ports",
      "spec.nodeSelector",
      "spec.nodeName",
      "spec.affinity",
      "spec.schedulerName",
      "spec.tolerations",
      "spec.priority",
      "spec.preemptionPolicy",
      "spec.overhead",
      "spec.topologySpreadConstraints",
      "spec.schedulingGates",
      "spec.resourceClaims",
      "spec.resources",
      "status.phase",
      "status.nominatedNodeName",
  });
}

}  // namespace berth::bench
