// A recorded plan is read from an annotation that anybody may have written: what is accepted can be
// written again, and what this version wrote has one form only.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input.h"
#include "volumes/recorded_plan.h"
#include "volumes/writes.h"

using berth::fuzz::require;
namespace volumes = berth::volumes;

namespace {

void check_guarded(const volumes::Write& write) {
  require(!write.uid.empty() && !write.resource_version.empty(), "a write has preconditions");
  require(!volumes::merge_patch(write).empty(), "a write can be sent");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = volumes::plan_from_text(text);
  if (!plan) {
    require(plan.error().text().starts_with("reading a recorded plan: ") ||
                plan.error().text().starts_with("a plan has "),
            "an error says what was read");
    return 0;
  }
  const auto written = volumes::to_text(*plan);
  if (plan->version <= volumes::RecordedPlan::kVersion) {
    require(written && *written == text, "what is read is what would be written");
  }
  if (written) {
    const auto again = volumes::plan_from_text(*written);
    require(again && *again == *plan, "what is written reads back");
  }
  for (const auto& binding : plan->bindings) {
    check_guarded(volumes::write_of(binding));
  }
  for (const auto& provision : plan->provisions) {
    check_guarded(volumes::write_of(provision, plan->node.name));
  }
  return 0;
}
