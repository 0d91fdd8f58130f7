#include "volumes/free_volumes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "base/node_set.h"
#include "volumes/rules.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

// From the smallest that is large enough on.
auto large_enough(const VolumesBySize& volumes, const ClaimEntry& claim) {
  return volumes.lower_bound(SizeKey{.capacity = request_of(*claim.current()), .name = ""});
}

// A claim as it asks one place after the other.
class Question {
 public:
  explicit Question(const ClaimEntry& claim)
      : claim_(claim),
        request_(request_of(*claim.current())),
        modes_(known_modes(claim.current()->spec.access_modes)),
        is_plain_(!claim.selector && !has_unknown_mode(claim.current()->spec.access_modes)) {}

  bool is_met_at(const FreePlace& place) const {
    // Most places that do not fit are too small altogether, and at most of those that fit all
    // volumes are alike.
    if (place.largest.compare(request_) < 0) {
      return false;
    }
    if (is_plain_ && do_all_offer(place)) {
      return true;
    }
    for (auto it = large_enough(place.volumes, claim_); it != place.volumes.end(); ++it) {
      if (is_acceptable(*it->value, claim_)) {
        return true;
      }
    }
    return false;
  }

 private:
  bool do_all_offer(const FreePlace& place) const {
    for (std::size_t mode = 0; mode < kAccessModes.size(); ++mode) {
      if ((modes_ >> mode & 1U) != 0 && place.offered[mode] != place.volumes.size()) {
        return false;
      }
    }
    return true;
  }

  const ClaimEntry& claim_;
  const api::Quantity& request_;
  ModeBits modes_;
  bool is_plain_;  // nothing but size and known modes matters
};

}  // namespace

bool is_acceptable(const VolumeEntry& volume, const ClaimEntry& claim) {
  const api::PersistentVolume& object = *volume.current();
  if (claim.selector && (!*claim.selector || !(*claim.selector)->matches(object.metadata.labels))) {
    return false;
  }
  return offers_modes(object, *claim.current());
}

NodeSet FreeVolumes::nodes_for(const ClaimEntry& claim) const {
  NodeSet nodes(view_.node_limit());
  if (places_ == nullptr) {
    return nodes;
  }
  const Question question(claim);
  for (const auto& [reach, place] : *places_) {
    if (question.is_met_at(place)) {
      view_.reached(reach).add_to(nodes);
    }
  }
  return nodes;
}

VolumeEntryPtr FreeVolumes::find_smallest(const ClaimEntry& claim,
                                          std::size_t node,
                                          const ChosenVolumes& chosen) {
  const VolumesBySize::Entry* best = nullptr;
  const SizeLess less;
  visit_places(node, [&](const VolumesBySize& volumes) {
    for (auto it = large_enough(volumes, claim); it != volumes.end(); ++it) {
      if (best != nullptr && !less(it->key, best->key)) {
        return;
      }
      if (is_acceptable(*it->value, claim) &&
          std::ranges::find(chosen, it->value.get()) == chosen.end()) {
        best = &*it;
        return;
      }
    }
  });
  return best == nullptr ? nullptr : best->value;
}

std::vector<VolumeEntryPtr> FreeVolumes::find_smallest(const ClaimEntry& claim,
                                                       std::size_t node,
                                                       std::size_t count) {
  std::vector<const VolumesBySize::Entry*> found;
  visit_places(node, [&](const VolumesBySize& volumes) {
    std::size_t taken = 0;
    for (auto it = large_enough(volumes, claim); it != volumes.end() && taken < count; ++it) {
      if (is_acceptable(*it->value, claim)) {
        found.push_back(&*it);
        ++taken;
      }
    }
  });
  std::ranges::sort(found, SizeLess(), &VolumesBySize::Entry::key);
  found.resize(std::min(found.size(), count));
  std::vector<VolumeEntryPtr> volumes;
  volumes.reserve(found.size());
  for (const VolumesBySize::Entry* entry : found) {
    volumes.push_back(entry->value);
  }
  return volumes;
}

void FreeVolumes::file_places() {
  is_filed_ = true;
  first_.assign(view_.node_limit() + 1, 0);
  for (const auto& [reach, place] : *places_) {
    const api::NodeGroup& nodes = view_.reached(reach);
    if (nodes.is_wide()) {
      wide_.push_back({.reach = reach, .volumes = &place.volumes});
    } else {
      nodes.for_each([this](std::size_t node) { ++first_[node + 1]; });
    }
  }
  for (std::size_t node = 1; node < first_.size(); ++node) {
    first_[node] += first_[node - 1];
  }
  narrow_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [reach, place] : *places_) {
    const api::NodeGroup& nodes = view_.reached(reach);
    if (!nodes.is_wide()) {
      nodes.for_each([&](std::size_t node) { narrow_[next[node]++] = &place.volumes; });
    }
  }
}

std::span<const VolumesBySize* const> FreeVolumes::narrow_places(std::size_t node) const {
  return std::span(narrow_).subspan(first_[node], first_[node + 1] - first_[node]);
}

template <typename Visit>
void FreeVolumes::visit_places(std::size_t node, Visit&& visit) {
  if (places_ == nullptr) {
    return;
  }
  if (!is_filed_) {
    file_places();
  }
  for (const WidePlace& place : wide_) {
    if (view_.reached(place.reach).contains(node)) {
      visit(*place.volumes);
    }
  }
  for (const VolumesBySize* volumes : narrow_places(node)) {
    visit(*volumes);
  }
}

}  // namespace berth::volumes
