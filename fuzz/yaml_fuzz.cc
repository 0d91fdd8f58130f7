// YAML text: every document that is accepted becomes one valid JSON value.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "api/yaml.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto documents =
      berth::api::read_yaml(std::string_view(reinterpret_cast<const char*>(data), size));
  if (documents) {
    for (const auto& document : *documents) {
      berth::fuzz::require(nlohmann::json::accept(document.json), "a YAML document becomes JSON");
    }
  }
  return 0;
}
