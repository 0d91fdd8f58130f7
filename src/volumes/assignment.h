// Volumes for claims, each volume for one claim at most: where claims taken one by one would leave
// one without, others change theirs (augmenting paths in a bipartite graph).
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace berth::volumes {

class Assignment {
 public:
  // For each claim the volumes it could have, by number, preferred ones first.
  explicit Assignment(std::vector<std::vector<std::size_t>> candidates);

  // Finds a volume for this claim, if that is possible without taking any other placed claim its
  // own altogether. A claim is placed once.
  bool place(std::size_t claim);

  std::optional<std::size_t> volume_of(std::size_t claim) const { return volumes_[claim]; }

 private:
  bool place(std::size_t claim, std::vector<bool>& tried);

  std::vector<std::vector<std::size_t>> candidates_;
  std::vector<std::optional<std::size_t>> volumes_;  // by claim
  std::vector<std::optional<std::size_t>> claims_;   // by volume
};

}  // namespace berth::volumes
