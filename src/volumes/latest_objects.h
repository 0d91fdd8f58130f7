// Objects that were read or written live, and those of a view: whichever is newer. A cache may be
// behind what a server just said.
#pragma once

#include <map>
#include <string>

#include "volumes/rules.h"
#include "volumes/view.h"

namespace berth::volumes {

class LatestObjects {
 public:
  void note(VolumePtr volume);
  void note(ClaimPtr claim);

  // Null where neither knows one.
  VolumePtr volume(const std::string& name, const View& view) const;
  ClaimPtr claim(const std::string& key, const View& view) const;

 private:
  std::map<std::string, VolumePtr> volumes_;
  std::map<std::string, ClaimPtr> claims_;
};

}  // namespace berth::volumes
