#include "api/text.h"

#include <string_view>

namespace berth::api {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_json_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_json_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace berth::api
