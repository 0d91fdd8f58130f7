// The text of a small JSON object, member by member: bodies of patches.
//
//   JsonObject().text("reason", reason).number("count", 3).done();
//
// Names are constants of the code and stand once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::kube {

class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value);
  JsonObject& number(std::string_view name, std::int64_t value);
  // `json` is the text of a value.
  JsonObject& json(std::string_view name, std::string_view json);

  bool is_empty() const { return members_.empty(); }
  std::string done() const { return "{" + members_ + "}"; }

 private:
  // What stands in front of a value.
  void begin(std::string_view name);

  std::string members_;
};

}  // namespace berth::kube
