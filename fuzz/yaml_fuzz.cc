// YAML text: every document that is accepted becomes one valid JSON value.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/yaml.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& document : berth::api::read_yaml(text)) {
    berth::fuzz::require(!document.json || nlohmann::json::accept(*document.json),
                         "a YAML document becomes JSON");
  }
  return 0;
}
