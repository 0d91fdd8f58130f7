// Volumes by what somebody looks for: by name, by the claim they name, and the unclaimed ones by
// kind, place and size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "volumes/reach_table.h"
#include "volumes/view.h"

namespace berth::volumes {

class VolumeIndex {
 public:
  // Keeps the volumes of `view`; both outlive it.
  VolumeIndex(View& view, ReachTable& reaches) : view_(view), reaches_(reaches) {}

  // The version of a volume that counts from now on, promised nothing.
  void set(VolumePtr volume);
  void remove(std::string_view name);
  // Shows `promised`, a changed copy of the stored version, or with null the stored version again.
  // The volume is known.
  void show(std::string_view name, VolumePtr promised, std::vector<std::string> owners);

 private:
  VolumeEntryPtr compile(VolumePtr volume);
  void forget(const VolumeEntry& entry);
  void file(const VolumeEntryPtr& entry);
  void unfile(const VolumeEntry& entry);

  View& view_;
  ReachTable& reaches_;
};

}  // namespace berth::volumes
