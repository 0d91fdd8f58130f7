// What a plan is made from: the objects of a cluster that volumes depend on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "volumes/catalog.h"
#include "volumes/finding.h"

namespace berth::app {

struct PlanObjects {
  std::vector<std::shared_ptr<api::Node>> nodes;
  std::vector<std::shared_ptr<api::PersistentVolume>> volumes;
  std::vector<std::shared_ptr<api::PersistentVolumeClaim>> claims;
  std::vector<std::shared_ptr<api::StorageClass>> classes;
  std::vector<std::shared_ptr<api::CSIDriver>> drivers;
  std::vector<std::shared_ptr<api::CSINode>> csi_nodes;
  std::vector<std::shared_ptr<api::CSIStorageCapacity>> capacities;
};

// Objects of files are made what the API server and the PV controller would make of them: a volume
// without status and claimRef is Available, a class without a mode binds at once.
void add_server_defaults(PlanObjects& objects);

// For the pod's claims that do not exist before the pod does: those of ephemeral volumes are made
// from their templates if the pod has no uid yet, and claims without a class get the default one
// (with `with_default_class`, which is the API server's work for claims that are created). What was
// done is told.
std::vector<volumes::Finding> add_what_follows(const api::Pod& pod,
                                               bool with_default_class,
                                               PlanObjects& objects);

void fill(volumes::Catalog& catalog, const PlanObjects& objects);

}  // namespace berth::app
