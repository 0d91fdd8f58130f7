// A text that must not be shown: a token, a password, a private key. It prints as `***` in logs,
// through fmt and through streams; reading it takes the word reveal(), which is easy to search for.
#pragma once

#include <fmt/core.h>

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

inline constexpr std::string_view kSecretMask = "***";

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  const std::string& reveal() const { return text_; }
  bool empty() const { return text_.empty(); }

  bool operator==(const Secret&) const = default;

  friend std::ostream& operator<<(std::ostream& out, const Secret& /*secret*/) {
    return out << kSecretMask;
  }

 private:
  std::string text_;
};

}  // namespace berth

template <>
struct fmt::formatter<berth::Secret> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const berth::Secret& /*secret*/, Context& context) const {
    return fmt::formatter<std::string_view>::format(berth::kSecretMask, context);
  }
};
