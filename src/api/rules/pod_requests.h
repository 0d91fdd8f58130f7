// What a pod asks of its node, by resource: what the scheduler counts.
//
// Kubernetes 1.37's rule. Containers run together, so theirs is a sum. Init containers run one
// after the other before them, each beside the sidecars (init containers with restartPolicy Always)
// that were started earlier; a pod needs the larger of that peak and of containers and sidecars
// together. Requests of the pod itself replace the sum for the resources they may name (cpu,
// memory, huge pages). Overhead comes on top.
//
// While a pod is being resized in place its status counts too: for each resource the largest of
// three totals over the pod, one from what the spec asks for, one from what the node has allocated
// (allocatedResources) and one from what is in force (resources). Where the pod's own status has
// both of these they are the totals, otherwise they are added up from the containers' statuses, and
// a container whose status says nothing counts with its spec. A resize that the node has called
// infeasible (condition PodResizePending with reason Infeasible) will not happen: the spec then
// counts nowhere.
//
// An empty map counts as absent, as it does on the wire: servers do not write empty maps. Claims
// for resources of the node through device allocation (nodeAllocatableResourceClaimStatuses) are
// not counted; the feature is off by default.
#pragma once

#include "api/members.h"
#include "api/objects/pod.h"

namespace berth::api {

struct PodRequestOptions {
  bool use_status = true;     // false for a pod that has no node yet
  bool use_pod_level = true;  // spec.resources
};

ResourceList pod_requests(const Pod& pod, const PodRequestOptions& options = {});

// What scores go by: the same, but a container that does not name cpu or memory counts with 100m
// and 200Mi, so that pods that ask for nothing spread too. Where the requests of the pod itself
// count, only for the resource that would come to nothing otherwise.
ResourceList scored_requests(const Pod& pod, const PodRequestOptions& options = {});

}  // namespace berth::api
