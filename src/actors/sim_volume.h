// Simulated volumes as objects: what the provisioner writes for a claim, and what it reads from
// there again. Nothing else remembers them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "actors/class_rules.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"

namespace berth::actors {

// Nodes that share a label, and with it the room for volumes.
struct Segment {
  std::string key;  // empty: all nodes
  std::string value;

  auto operator<=>(const Segment&) const = default;
};

// "pvc-<uid>": one claim has one volume, however often it is asked for.
std::string volume_name(std::string_view claim_uid);

api::PersistentVolume make_volume(const api::PersistentVolumeClaim& claim,
                                  const api::StorageClass& storage_class,
                                  const Segment& segment);

// Made by a simulated provisioner.
bool is_simulated_volume(const api::PersistentVolume& volume);

// Where room is counted: a class in a segment. Empty for volumes that are not simulated.
std::string pool_of(const api::PersistentVolume& volume);
std::string pool_of(std::string_view class_name, const Segment& segment);

// What is to be done with a simulated volume that nobody needs.
enum class Disposal : std::uint8_t {
  kNone,
  kRemove,   // the object is to be deleted
  kRelease,  // it is being deleted and waits for us: our finalizer goes
};
Disposal disposal_of(const api::PersistentVolume& volume);

}  // namespace berth::actors
