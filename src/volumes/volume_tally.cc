#include "volumes/volume_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/rules/node_group.h"
#include "volumes/explain_text.h"
#include "volumes/reach.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kReleasedPhase = "Released";

std::size_t index_of(Obstacle obstacle) {
  return static_cast<std::size_t>(obstacle);
}

int compare_sizes(const VolumeEntry& a, const VolumeEntry& b) {
  return capacity_of(*a.current()).compare(capacity_of(*b.current()));
}

// By size, then by name.
bool is_smaller(const VolumeEntry& a, const VolumeEntry& b) {
  const int order = compare_sizes(a, b);
  return order != 0 ? order < 0 : a.current()->metadata.name < b.current()->metadata.name;
}

// Of equally large ones the first by name.
void keep_larger(const VolumeEntry*& kept, const VolumeEntry* other) {
  if (other == nullptr) {
    return;
  }
  const int order = kept == nullptr ? 1 : compare_sizes(*other, *kept);
  if (order > 0 ||
      (order == 0 && other->current()->metadata.name < kept->current()->metadata.name)) {
    kept = other;
  }
}

// "1 too small (the largest is pv-3, 5Gi)".
std::string obstacle_text(Obstacle obstacle,
                          const VolumeTally::OnNode& tally,
                          const api::PersistentVolumeClaim& claim) {
  switch (obstacle) {
    case Obstacle::kClaimed:
      return "claimed by other claims";
    case Obstacle::kReleased:
      return "released, but still naming a former claim";
    case Obstacle::kPhase:
      return "not in phase Available";
    case Obstacle::kDeleted:
      return "being deleted";
    case Obstacle::kTooSmall:
      return fmt::format("too small (the largest is {}, {})",
                         tally.largest->current()->metadata.name,
                         size_text(capacity_of(*tally.largest->current())));
    case Obstacle::kMode:
      return fmt::format("of another mode than {}", mode_of(claim.spec.volume_mode));
    case Obstacle::kAttributes: {
      const auto name = attributes_class_of(claim.spec.volume_attributes_class_name);
      return name.empty() ? "with an attributes class"
                          : fmt::format("not of attributes class {}", name);
    }
    case Obstacle::kSelector:
      return "without the labels the claim selects";
    case Obstacle::kAccessModes: {
      std::string modes;
      for (const std::string& mode : claim.spec.access_modes) {
        modes += (modes.empty() ? "" : " and ") + mode;
      }
      return fmt::format("without {}", modes);
    }
    case Obstacle::kNone:
      return "taken by another claim of the pod";
  }
  return "";
}

}  // namespace

Obstacle find_obstacle(const api::PersistentVolume& volume,
                       const ClaimEntry& claim,
                       const Switches& switches) {
  const api::PersistentVolumeClaim& object = *claim.current();
  const bool is_named = is_bound_to(volume, object);
  if (volume.spec.claim_ref && !is_named) {
    return volume.status.phase == kReleasedPhase ? Obstacle::kReleased : Obstacle::kClaimed;
  }
  if (!is_named && volume.status.phase != kAvailable) {
    return Obstacle::kPhase;
  }
  if (volume.metadata.deletion_timestamp) {
    return Obstacle::kDeleted;
  }
  if (capacity_of(volume).compare(request_of(object)) < 0) {
    return Obstacle::kTooSmall;
  }
  if (mode_of(volume.spec.volume_mode) != mode_of(object.spec.volume_mode)) {
    return Obstacle::kMode;
  }
  if (attributes_class_of(volume.spec.volume_attributes_class_name) !=
      attributes_class_of(object.spec.volume_attributes_class_name)) {
    return Obstacle::kAttributes;
  }
  if (!is_named && claim.selector &&
      (!*claim.selector || !(*claim.selector)->matches(volume.metadata.labels))) {
    return Obstacle::kSelector;
  }
  if ((!is_named || switches.prebound_modes) && !offers_modes(volume, object)) {
    return Obstacle::kAccessModes;
  }
  return Obstacle::kNone;
}

VolumeTally::VolumeTally(const View& view, const ClaimEntry& claim, const Switches& switches)
    : view_(view), claim_(claim) {
  const std::string_view class_name = class_of(*claim.current());
  std::map<ReachId, std::size_t> numbers;  // of places
  for (const auto& [name, entry] : view.volumes()) {
    const api::PersistentVolume& volume = *entry->current();
    if (class_of(volume) != class_name) {
      continue;
    }
    const auto [number, is_new] = numbers.emplace(entry->reach, places_.size());
    if (is_new) {
      places_.push_back({.reach = entry->reach});
    }
    Place& place = places_[number->second];
    ++count_;
    ++place.count;
    const Obstacle obstacle = find_obstacle(volume, claim, switches);
    ++place.counts[index_of(obstacle)];
    if (obstacle == Obstacle::kTooSmall) {
      keep_larger(place.largest, entry.get());
    } else if (obstacle == Obstacle::kNone) {
      ++fitting_count_;
      if (place.fitting == nullptr || is_smaller(*entry, *place.fitting)) {
        place.fitting = entry.get();
      }
    }
  }
  file_places();
}

void VolumeTally::file_places() {
  by_node_.resize(view_.node_limit());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const api::NodeGroup& nodes = view_.reached(places_[i].reach);
    if (nodes.is_wide()) {
      wide_.push_back(i);
    } else {
      nodes.for_each([this, i](std::size_t node) { by_node_[node].push_back(i); });
    }
    if (places_[i].fitting != nullptr) {
      by_size_.push_back(i);
    }
  }
  std::ranges::sort(by_size_, [this](std::size_t a, std::size_t b) {
    return is_smaller(*places_[a].fitting, *places_[b].fitting);
  });
}

void VolumeTally::add(const Place& place, OnNode& tally) {
  tally.reached_count += place.count;
  for (std::size_t i = 0; i < kObstacles; ++i) {
    tally.reached[i] += place.counts[i];
  }
  keep_larger(tally.largest, place.largest);
}

VolumeTally::OnNode VolumeTally::on_node(std::size_t node) const {
  OnNode result;
  for (const std::size_t place : wide_) {
    if (view_.reached(places_[place].reach).contains(node)) {
      add(places_[place], result);
    }
  }
  for (const std::size_t place : by_node_[node]) {
    add(places_[place], result);
  }
  result.fitting_count = fitting_count_ - result.reached[index_of(Obstacle::kNone)];
  for (const std::size_t place : by_size_) {
    if (!view_.reached(places_[place].reach).contains(node)) {
      result.fitting = places_[place].fitting;
      break;
    }
  }
  return result;
}

std::string VolumeTally::text(const OnNode& tally, std::size_t node) const {
  std::string text;
  for (std::size_t i = 0; i < kObstacles; ++i) {
    if (tally.reached[i] > 0) {
      text += fmt::format("{}{} {}",
                          text.empty() ? "" : ", ",
                          tally.reached[i],
                          obstacle_text(static_cast<Obstacle>(i), tally, *claim_.current()));
    }
  }
  if (tally.reached_count == count_) {
    return text;
  }
  text += fmt::format("{}{} out of reach", text.empty() ? "" : ", ", count_ - tally.reached_count);
  if (tally.fitting_count > 0) {
    text += fmt::format(
        ", of which {} would fit: {} wants {}",
        tally.fitting_count,
        tally.fitting->current()->metadata.name,
        mismatch_text(view_.reach(tally.fitting->reach), view_.node(node)->metadata.labels));
  }
  return text;
}

}  // namespace berth::volumes
