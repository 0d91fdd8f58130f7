// What the engine answers when it is asked whether a pod's volumes fit: a code that decides and
// reasons that explain. Plugins pass both on to the framework as they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::volumes {

enum class Code : std::uint8_t {
  kSuccess,
  kSkip,           // nothing to look at; later steps of the same pod need not ask
  kUnschedulable,  // not now; it may help that other pods go
  kUnresolvable,   // not now; no pod that goes can help ("unschedulable and unresolvable")
  kError,          // the attempt fails; its one reason is the error's text
};

struct Answer {
  Code code = Code::kSuccess;
  std::vector<std::string> reasons;

  bool is_success() const { return code == Code::kSuccess; }
  // Both unschedulable codes.
  bool is_rejected() const { return code == Code::kUnschedulable || code == Code::kUnresolvable; }
  bool operator==(const Answer&) const = default;

  static Answer success() { return {}; }
  static Answer skip() { return {.code = Code::kSkip, .reasons = {}}; }
  static Answer unschedulable(std::string_view reason) {
    return {.code = Code::kUnschedulable, .reasons = {std::string(reason)}};
  }
  static Answer unresolvable(std::string_view reason) {
    return {.code = Code::kUnresolvable, .reasons = {std::string(reason)}};
  }
  static Answer unresolvable(std::vector<std::string> reasons) {
    return {.code = Code::kUnresolvable, .reasons = std::move(reasons)};
  }
  static Answer error(std::string_view text) {
    return {.code = Code::kError, .reasons = {std::string(text)}};
  }
};

}  // namespace berth::volumes
