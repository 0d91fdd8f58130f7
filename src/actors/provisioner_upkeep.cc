// What the provisioner does besides making volumes: those that nobody needs go, and how much room
// there is gets published.
#include <string>
#include <utility>

#include "actors/capacity_objects.h"
#include "actors/desk.h"
#include "actors/names.h"
#include "actors/provisioner.h"
#include "actors/pv_writes.h"
#include "actors/sim_class.h"
#include "actors/sim_volume.h"
#include "api/objects/storage.h"
#include "base/error.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/task.h"

namespace berth::actors {

rt::Task<Next> Provisioner::sync_volume(kube::ObjectKey key, Desk desk) {
  const auto known = volumes_.cache().find(key);
  if (!known || disposal_of(*known) == Disposal::kNone) {
    co_return Next::kDone;
  }
  // Data are at stake: what the server has now decides.
  const auto live = co_await find_live<Volume>(desk, key);
  if (!live) {
    co_return Next::kRetry;
  }
  if (!*live || (*live)->metadata.uid != known->metadata.uid) {
    co_return Next::kDone;
  }
  const Volume& volume = **live;
  const Disposal disposal = disposal_of(volume);
  if (disposal == Disposal::kNone) {
    co_return Next::kDone;
  }
  if (disposal == Disposal::kRemove) {
    const auto removed = co_await kube::remove_object<Volume>(
        &client_,
        key,
        {.uid = volume.metadata.uid, .resource_version = volume.metadata.resource_version},
        desk.soon());
    counts_.removed += removed ? 1 : 0;
    co_return removed || removed.error().code() == ErrorCode::kNotFound ? Next::kDone
                                                                        : Next::kRetry;
  }
  const auto released =
      co_await client_.patch(finalizer_write(volume, kProvisionerFinalizer), desk.soon());
  co_return released || released.error().code() == ErrorCode::kNotFound ? Next::kDone
                                                                        : Next::kRetry;
}

rt::Task<Next> Provisioner::sync_capacities(kube::ObjectKey /*key*/, Desk desk) {
  const auto wanted = wanted_capacities(
      options_.ns, classes_.cache().all(), nodes_.cache().all(), [this](const std::string& pool) {
        return taken_of(pool, "");
      });
  CapacityWrites writes = capacity_writes(wanted, capacities_.cache().all());
  Next next = Next::kDone;
  for (api::CSIStorageCapacity& object : writes.creates) {
    const auto made = co_await kube::create_object<api::CSIStorageCapacity>(
        &client_, std::move(object), desk.soon());
    next = made || made.error().code() == ErrorCode::kExists ? next : Next::kRetry;
  }
  for (kube::PatchRequest& request : writes.patches) {
    const auto patched = co_await client_.patch(std::move(request), desk.soon());
    next = patched ? next : Next::kRetry;
  }
  for (kube::RemoveRequest& request : writes.removes) {
    const auto removed = co_await client_.remove(std::move(request), desk.soon());
    next = removed ? next : Next::kRetry;
  }
  co_return next;
}

}  // namespace berth::actors
