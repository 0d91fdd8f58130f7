#include "decode/rapidjson_parse.h"

#include <rapidjson/document.h>

#include <cstddef>
#include <string>

#include "base/error.h"
#include "base/result.h"

namespace berth::bench {

Result<std::size_t> parse_with_rapidjson(const std::string& text) {
  rapidjson::Document tree;
  tree.Parse(text.data(), text.size());
  if (tree.HasParseError() || !tree.IsObject()) {
    return Error(ErrorCode::kInvalid, "not a JSON list of pods");
  }
  const auto items = tree.FindMember("items");
  if (items == tree.MemberEnd() || !items->value.IsArray()) {
    return Error(ErrorCode::kInvalid, "not a JSON list of pods");
  }
  return std::size_t{items->value.Size()};
}

}  // namespace berth::bench
