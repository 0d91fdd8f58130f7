// The engine's knowledge as it changes: fed by events, asked through views.
//
// set() takes what a watch or a list brought, remove_*() what went. Events of one object come in
// the order of their versions; an object that comes again unchanged costs nothing. Promises are
// made through the Ledger alone; a new version of an object ends the promise on the old one.
//
// One thread changes it.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/objects/node.h"
#include "api/objects/storage.h"
#include "base/result.h"
#include "volumes/node_table.h"
#include "volumes/reach_table.h"
#include "volumes/view.h"
#include "volumes/volume_index.h"

namespace berth::volumes {

class Catalog {
 public:
  Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  ~Catalog() = default;

  void set(NodePtr node);
  void set(VolumePtr volume);
  void set(ClaimPtr claim);
  void set(ClassPtr storage_class);
  void set(DriverPtr driver);
  void set(CsiNodePtr csi_node);
  void set(CapacityPtr capacity);
  void remove_node(std::string_view name);
  void remove_volume(std::string_view name);
  void remove_claim(std::string_view ns, std::string_view name);
  void remove_class(std::string_view name);
  void remove_driver(std::string_view name);
  void remove_csi_node(std::string_view name);
  void remove_capacity(std::string_view ns, std::string_view name);

  const View& now() const { return view_; }
  // O(1): what is known now, whatever comes later.
  View view() const { return view_; }

  // For the Ledger. The promised object is a changed copy of the stored one with its version;
  // kNotFound when there is none stored, kConflict when the stored one has another version. An
  // earlier promise of this version is replaced, its owners stay.
  Result<void> promise(VolumePtr volume, std::string_view owner);
  Result<void> promise(ClaimPtr claim, std::string_view owner);
  // The owner needs the promise no more; it ends with the last one. Nothing happens where nothing
  // is promised.
  void release_volume(std::string_view name, std::string_view owner);
  void release_claim(std::string_view key, std::string_view owner);
  // Where room is promised for the claim, whatever its version; null where it is no more.
  void set_pool(std::string_view key, CapacityPtr pool);
  // Bytes more (or, negative, less) promised of a pool, while it has this version.
  void promise_capacity(const api::CSIStorageCapacity& capacity, std::int64_t bytes);

 private:
  void place_migrated(std::string_view node_name);

  View view_;
  NodeTable nodes_;
  ReachTable reaches_;
  VolumeIndex volumes_;
};

}  // namespace berth::volumes
