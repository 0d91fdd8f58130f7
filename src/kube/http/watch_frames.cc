#include "kube/http/watch_frames.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/codec/protobuf.h"
#include "api/objects/list.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/http/answer.h"

namespace berth::kube::http {
namespace {

std::optional<WatchEventType> type_of(std::string_view text) {
  if (text == "ADDED") {
    return WatchEventType::kAdded;
  }
  if (text == "MODIFIED") {
    return WatchEventType::kModified;
  }
  if (text == "DELETED") {
    return WatchEventType::kDeleted;
  }
  if (text == "BOOKMARK") {
    return WatchEventType::kBookmark;
  }
  return std::nullopt;
}

Error too_large() {
  return {ErrorCode::kLimit, "an event of the watch is larger than any object"};
}

Result<Document> object_of(std::string data, Document::Encoding encoding) {
  if (encoding == Document::Encoding::kJson) {
    return Document{encoding, std::move(data)};
  }
  auto envelope = api::codec::open_envelope(data);
  if (!envelope) {
    return std::move(envelope).error();
  }
  return Document{encoding, std::string(envelope->message)};
}

}  // namespace

Result<std::optional<WatchEvent>> WatchFrames::next() {
  auto frame = encoding_ == Document::Encoding::kJson ? next_line() : next_frame();
  if (!frame) {
    return std::move(frame).error();
  }
  if (!*frame) {
    drop_taken();
    return std::optional<WatchEvent>();
  }
  auto event = encoding_ == Document::Encoding::kJson ? api::watch_event_from_json(**frame)
                                                      : api::watch_event_from_protobuf(**frame);
  if (!event) {
    return std::move(event).error();
  }
  auto object = object_of(std::move(event->object.data), encoding_);
  if (!object) {
    return std::move(object).error();
  }
  if (event->type == "ERROR") {
    return error_of_status(*object);
  }
  const auto type = type_of(event->type);
  if (!type) {
    return Error(ErrorCode::kInvalid, "a watch event of no known type");
  }
  return std::optional(WatchEvent{*type, *std::move(object)});
}

Result<std::optional<std::string_view>> WatchFrames::next_frame() {
  constexpr std::size_t kLength = 4;
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (rest.size() < kLength) {
    return std::optional<std::string_view>();
  }
  std::size_t size = 0;
  for (const char c : rest.substr(0, kLength)) {
    size = size << 8U | static_cast<unsigned char>(c);
  }
  if (size > kFrameMax) {
    return too_large();
  }
  if (rest.size() < kLength + size) {
    return std::optional<std::string_view>();
  }
  taken_ += kLength + size;
  return std::optional(rest.substr(kLength, size));
}

Result<std::optional<std::string_view>> WatchFrames::next_line() {
  const std::size_t end = bytes_.find('\n', std::max(taken_, searched_));
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    return bytes_.size() - taken_ > kFrameMax ? Result<std::optional<std::string_view>>(too_large())
                                              : std::optional<std::string_view>();
  }
  const auto line = std::string_view(bytes_).substr(taken_, end - taken_);
  taken_ = end + 1;
  return std::optional(line);
}

// Once for all events of a piece, so that many small ones do not move the rest again and again.
void WatchFrames::drop_taken() {
  bytes_.erase(0, taken_);
  searched_ -= std::min(searched_, taken_);
  taken_ = 0;
}

}  // namespace berth::kube::http
