#include "app/input.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <ios>
#include <istream>
#include <string>

#include "base/error.h"
#include "base/result.h"

namespace berth::app {
namespace {

// More than any list a person keeps in a file.
constexpr std::size_t kFileSizeMax = std::size_t{256} << 20;

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

Result<std::string> read_input(const std::string& path, std::istream& in) {
  std::ifstream file;
  std::istream* source = &in;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) {
      return Error(ErrorCode::kNotFound, fmt::format("cannot be opened: {}", std::strerror(errno)));
    }
    source = &file;
  }
  std::string text;
  std::array<char, 1 << 16> block{};
  while (source->read(block.data(), block.size()) || source->gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(source->gcount()));
    if (text.size() > kFileSizeMax) {
      return Error(ErrorCode::kLimit, fmt::format("is larger than {} MiB", kFileSizeMax >> 20U));
    }
  }
  if (source->bad()) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  return text;
}

}  // namespace berth::app
