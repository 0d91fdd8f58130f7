// What the decision hands to the binding: which pod, which node, and what each plugin decided.
//
// A plugin's part is a versioned text of its own. The whole has one text too: it is passed in
// process, written as an annotation before the first side effect, and read again after a crash or
// by another process, which carries out what was decided instead of deciding anew.
//
// The text is compact JSON with the parts as strings. `version` says which reader wrote it,
// `readableFrom` the oldest one that understands it. A reader takes its own version byte for byte
// as it would write it, and ignores what it does not know only in later ones that name it or an
// older one as `readableFrom`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/table.h"
#include "base/result.h"
#include "framework/snapshot.h"

namespace berth::framework {

// The annotation that holds the text of a BindContext.
inline constexpr std::string_view kPlanAnnotation = "berth.dev/plan";

struct PluginPart {
  std::string plugin;
  std::string text;

  static const api::Table& table();
  bool operator==(const PluginPart&) const = default;
};

// What of a BindContext survives its process.
struct RecordedContext {
  static constexpr std::int32_t kVersion = 1;
  // Annotations of an object may have 256 KiB together.
  static constexpr std::size_t kTextMax = std::size_t{128} * 1024;
  static constexpr std::size_t kPartTextMax = std::size_t{64} * 1024;

  std::int32_t version = kVersion;
  std::int32_t readable_from = kVersion;
  std::string pod_ns;
  std::string pod_name;
  std::string pod_uid;
  std::string node;
  std::vector<PluginPart> parts;  // in the order in which the plugins reserved

  static const api::Table& table();
  bool operator==(const RecordedContext&) const = default;
};

// kInvalid when something is missing without which nobody could act on it, or a plugin has two
// parts; kLimit when the text would be longer than kTextMax, or a part than kPartTextMax.
Result<std::string> to_text(const RecordedContext& context);
// kLimit beyond kTextMax; kInvalid for what no reader of this version may act on.
Result<RecordedContext> context_from_text(std::string_view text);

// Immutable once it is made; tasks share it.
struct BindContext {
  PodPtr pod;  // as the decision saw it; never null
  std::string node;
  std::vector<PluginPart> parts;

  // The plugin's own part; empty when it had nothing to hand over.
  std::string_view part_of(std::string_view plugin) const;
  RecordedContext recorded() const;
};
using BindContextPtr = std::shared_ptr<const BindContext>;

// The context that was recorded for this very pod. kConflict when it names another pod, or another
// one of that name.
Result<BindContextPtr> restore_context(std::string_view text, PodPtr pod);

}  // namespace berth::framework
