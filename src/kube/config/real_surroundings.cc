#include "kube/config/real_surroundings.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/result.h"

namespace berth::kube::config {

std::optional<std::string> RealSurroundings::variable(const std::string& name) const {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment
  const char* value = std::getenv(name.c_str());
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

Result<std::string> RealSurroundings::read(const std::string& path, std::size_t size_max) const {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error(
        errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
        fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  std::string text;
  std::array<char, 1 << 14> block{};
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > size_max) {
      return Error(ErrorCode::kLimit, fmt::format("is larger than {} MiB", size_max >> 20U));
    }
  }
  if (file.bad()) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  return text;
}

}  // namespace berth::kube::config
