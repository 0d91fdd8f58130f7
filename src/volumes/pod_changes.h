// What a dry run supposes about the pods of one node: preemption asks what would be if some pods
// left it, and what if nominated pods were there already.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/pod.h"

namespace berth::volumes {

struct PodChanges {
  std::vector<const api::Pod*> added;
  std::vector<std::string> removed;  // uids

  bool empty() const { return added.empty() && removed.empty(); }
  bool removes(std::string_view uid) const {
    return std::ranges::find(removed, uid) != removed.end();
  }
};

}  // namespace berth::volumes
