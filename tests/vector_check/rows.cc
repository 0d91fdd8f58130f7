#include "rows.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"

namespace berth::vector_check {

namespace json = boost::json;

Result<RowReader> RowReader::open(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return Error(ErrorCode::kNotFound, std::string("cannot be opened: ") + std::strerror(errno));
  }
  return RowReader(file);
}

Result<bool> RowReader::read_more() {
  std::array<char, 65536> chunk;
  const int length = gzread(file_.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
  if (length > 0) {
    buffer_.append(chunk.data(), static_cast<std::size_t>(length));
    return true;
  }
  // At the end zlib still has to say whether the file ended where the format does.
  int code = Z_OK;
  const char* const text = gzerror(file_.get(), &code);
  if (length < 0 || code != Z_OK) {
    return Error(ErrorCode::kInvalid, std::string("damaged: ") + text);
  }
  return false;
}

Result<std::optional<std::string_view>> RowReader::next_line() {
  std::size_t end = buffer_.find('\n', given_);
  while (end == std::string::npos) {
    buffer_.erase(0, given_);
    given_ = 0;
    if (buffer_.size() > kLineLenMax) {
      return Error(ErrorCode::kLimit, "line longer than " + std::to_string(kLineLenMax));
    }
    const std::size_t searched = buffer_.size();
    BERTH_TRY(const bool has_more, read_more());
    end = has_more ? buffer_.find('\n', searched) : buffer_.size();
  }
  if (given_ == buffer_.size()) {
    return std::optional<std::string_view>();
  }
  ++line_number_;
  const std::string_view line = std::string_view(buffer_).substr(given_, end - given_);
  given_ = std::min(end + 1, buffer_.size());
  return std::optional(line);
}

Result<std::optional<json::object>> RowReader::next() {
  while (true) {
    BERTH_TRY(const std::optional<std::string_view> line, next_line());
    if (!line) {
      return std::optional<json::object>();
    }
    if (line->empty()) {
      continue;
    }
    boost::system::error_code code;
    json::value row = json::parse({line->data(), line->size()}, code);
    if (code || !row.is_object()) {
      return Error(ErrorCode::kInvalid,
                   "line " + std::to_string(line_number_) + ": " +
                       (code ? code.message() : "not a JSON object"));
    }
    return std::optional(std::move(row.get_object()));
  }
}

}  // namespace berth::vector_check
