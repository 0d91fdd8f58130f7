// The rows of a vector file: one JSON object a line, gzip or plain.
#pragma once

#include <zlib.h>

#include <boost/json.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::vector_check {

class RowReader {
 public:
  // kNotFound if the file cannot be opened.
  static Result<RowReader> open(const std::string& path);

  // The next row; nothing at the end. Fails on a damaged or cut off file, a line that is no JSON
  // object, or one longer than kLineLenMax.
  Result<std::optional<boost::json::object>> next();

  static constexpr std::size_t kLineLenMax = std::size_t{64} << 20;

 private:
  struct Closer {
    void operator()(gzFile file) const { gzclose(file); }
  };

  explicit RowReader(gzFile file) : file_(file) {}

  // The next line without its end, nothing at the end of the file. Valid until the next call.
  Result<std::optional<std::string_view>> next_line();
  // Appends to buffer_; false at the end of the file.
  Result<bool> read_more();

  std::unique_ptr<gzFile_s, Closer> file_;
  std::string buffer_;     // read from the file
  std::size_t given_ = 0;  // how much of it was given out as lines
  std::size_t line_number_ = 0;
};

}  // namespace berth::vector_check
