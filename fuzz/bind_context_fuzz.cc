// A plan is read from an annotation that anybody may have written: what is accepted can be written
// again, and what this version wrote has one form only.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "framework/bind_context.h"
#include "input.h"

using berth::fuzz::require;
namespace framework = berth::framework;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto context = framework::context_from_text(text);
  if (!context) {
    require(context.error().text().starts_with("reading a plan: ") ||
                context.error().text().starts_with("a plan has "),
            "an error says what was read");
    return 0;
  }
  const auto written = framework::to_text(*context);
  if (context->version == framework::RecordedContext::kVersion) {
    require(written && *written == text, "what is read is what would be written");
  }
  if (written) {
    const auto again = framework::context_from_text(*written);
    require(again && *again == *context, "what is written reads back");
  }
  return 0;
}
