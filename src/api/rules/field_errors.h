// The faults found in the fields of one object, gathered and then told at once.
//
// The text is upstream's: one fault stands alone, several stand in brackets separated by commas,
// equal ones are told once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace berth::api {

class FieldErrors {
 public:
  // What somebody can still read. An object may have one fault for each of its many values, and
  // each fault names the whole path; past this length further faults are counted, not kept, and
  // the text ends in "and more".
  static constexpr std::size_t kTextLenMax = std::size_t{64} * 1024;

  // `shown` is the value as it is to be printed, quotes and all (see quoted.h).
  void add_invalid(std::string_view path, std::string_view shown, std::string_view detail);
  void add_unsupported(std::string_view path,
                       std::string_view shown,
                       std::string_view supported_values);
  // Counts a fault without a text if a text would not be kept: saves putting it together.
  bool add_unread();

  bool empty() const { return count_ == 0; }
  // How many were added, whether kept or not.
  std::size_t count() const { return count_; }
  std::string text() const;
  // kInvalid with that text.
  Error error() const;

 private:
  void add(std::string fault);
  bool is_full() const { return text_len_ > kTextLenMax; }

  std::vector<std::string> faults_;  // distinct
  std::size_t text_len_ = 0;
  std::size_t count_ = 0;
  bool has_dropped_ = false;
};

}  // namespace berth::api
