// A plan that survives its process: what is to be written for one pod on one node, and how much of
// that is ours to take back. It is passed in process, kept as an annotation before the first write,
// and read again after a crash: from it and the cluster alone a binding is finished or undone.
//
// The text is compact JSON. `version` says which reader wrote it, `readableFrom` the oldest one
// that understands it. A reader takes its own version and older ones byte for byte as they would be
// written, and ignores what it does not know only in later ones that name it or an older one as
// `readableFrom`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/box.h"
#include "api/table.h"
#include "base/result.h"

namespace berth::volumes {

// Which object is meant, and as of when.
struct RecordedObject {
  std::string ns;
  std::string name;
  std::string uid;
  std::string version;

  static const api::Table& table();
  bool operator==(const RecordedObject&) const = default;
};

// An existing volume for a claim.
struct RecordedBinding {
  // What of the volume's reference to the claim is ours: all of it; its uid, where a user named the
  // claim before; or nothing, where the reference was complete.
  static constexpr std::string_view kWhole = "whole";
  static constexpr std::string_view kUid = "uid";
  static constexpr std::string_view kNothing = "";

  RecordedObject claim;
  RecordedObject volume;
  std::string reference;
  bool adds_mark = false;  // the annotation "bound-by-controller" too

  bool is_ours() const { return reference != kNothing; }

  static const api::Table& table();
  bool operator==(const RecordedBinding&) const = default;
};

// Room that is promised to a claim in a pool, as of one version of the pool: what that says later
// counts for itself.
struct RecordedRoom {
  std::string storage_class;
  std::string ns;
  std::string name;
  std::string version;
  std::int64_t bytes = 0;

  static const api::Table& table();
  bool operator==(const RecordedRoom&) const = default;
};

// A claim for which a volume is to be made on the node.
struct RecordedProvision {
  RecordedObject claim;
  // The node it asked for before; absent when for none.
  std::optional<std::string> before;
  bool is_ours = false;           // it does not ask for the plan's node already
  api::Box<RecordedRoom> room{};  // since version 2; absent where no pool was asked

  static const api::Table& table();
  bool operator==(const RecordedProvision&) const = default;
};

struct RecordedPlan {
  static constexpr std::int32_t kVersion = 2;
  // A reader of version 1 does not know of room, and finishes and undoes the same.
  static constexpr std::int32_t kReadableFrom = 1;
  // Annotations of an object may have 256 KiB together.
  static constexpr std::size_t kTextMax = std::size_t{32} * 1024;

  std::int32_t version = kVersion;
  std::int32_t readable_from = kReadableFrom;
  RecordedObject pod;
  RecordedObject node;  // its uid where it was known
  std::string planner;  // who decided
  std::vector<RecordedBinding> bindings;
  std::vector<RecordedProvision> provisions;

  bool empty() const { return bindings.empty() && provisions.empty(); }

  static const api::Table& table();
  bool operator==(const RecordedPlan&) const = default;
};

// kInvalid when something is missing without which nobody could act on it, or a volume or claim
// stands twice; kLimit when the text would be longer than kTextMax.
Result<std::string> to_text(const RecordedPlan& plan);

// kLimit beyond kTextMax; kInvalid for what no reader of this version may act on, saying which
// version wrote it where that is the reason.
Result<RecordedPlan> plan_from_text(std::string_view text);

}  // namespace berth::volumes
