#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "decode/modes.h"
#include "decode/rapidjson_parse.h"

namespace berth::bench {
namespace {

Error not_a_list() {
  return {ErrorCode::kInvalid, "not a JSON list of pods"};
}

// With the memory resource its documentation advises for values that are only read: nothing is
// freed before all is.
Result<std::size_t> boost_json(const std::string& text) {
  boost::json::monotonic_resource memory;
  boost::system::error_code code;
  const boost::json::value tree = boost::json::parse(text, code, &memory);
  const boost::json::object* list = tree.if_object();
  const boost::json::value* items = list != nullptr ? list->if_contains("items") : nullptr;
  if (code || items == nullptr || !items->is_array()) {
    return not_a_list();
  }
  return items->get_array().size();
}

Result<std::size_t> nlohmann_json(const std::string& text) {
  const auto tree = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!tree.is_object() || !tree.contains("items") || !tree["items"].is_array()) {
    return not_a_list();
  }
  return tree["items"].size();
}

template <Result<std::size_t> (*Parse)(const std::string&)>
Result<Work> list_work(const std::string& file) {
  return Work([&file] { return Parse(file); });
}

}  // namespace

std::span<const Mode> peer_modes() {
  static constexpr std::array kModes{
      Mode{"boost-json-list", list_work<boost_json>},
      Mode{"rapidjson-list", list_work<parse_with_rapidjson>},
      Mode{"nlohmann-list", list_work<nlohmann_json>},
  };
  return kModes;
}

}  // namespace berth::bench
