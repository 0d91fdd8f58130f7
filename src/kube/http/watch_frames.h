// The body of a watch, cut into its events as the pieces come.
//
// JSON events are lines. Protobuf events have their length in front, four bytes, big end first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client.h"

namespace berth::kube::http {

class WatchFrames {
 public:
  // The largest event there can be: a server takes no object of more than 3 MiB.
  static constexpr std::size_t kFrameMax = 16UL << 20U;

  explicit WatchFrames(Document::Encoding encoding) : encoding_(encoding) {}

  void add(std::string_view piece) { bytes_ += piece; }
  // The next event that is complete, or nothing. An ERROR event is an error, and so is what cannot
  // be understood; the stream is over then.
  Result<std::optional<WatchEvent>> next();
  // Whether the body may end here.
  bool is_between_events() const { return bytes_.size() == taken_; }

 private:
  Result<std::optional<std::string_view>> next_frame();
  Result<std::optional<std::string_view>> next_line();
  void drop_taken();

  Document::Encoding encoding_;
  std::string bytes_;
  std::size_t taken_ = 0;
  std::size_t searched_ = 0;  // for the end of a line
};

}  // namespace berth::kube::http
