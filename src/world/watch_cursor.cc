#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "world/store.h"
#include "world/watch_cursor_internal.h"

namespace berth::world {

Result<std::uint64_t> parse_version(std::string_view text) {
  std::uint64_t version = 0;
  if (text.empty()) {
    return version;
  }
  const char* end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [rest, error] = std::from_chars(text.data(), end, version);
  if (error != std::errc() || rest != end) {
    return Error(ErrorCode::kInvalid, "resourceVersion: must be a number");
  }
  return version;
}

bool begins_with_objects(const kube::WatchRequest& request, std::uint64_t from) {
  return request.send_initial_events || from == 0;
}

Result<WatchCursor> WatchCursor::begin(const Store& store,
                                       const kube::WatchRequest& request,
                                       std::uint64_t from,
                                       std::uint64_t position) {
  BERTH_TRY(auto selector, store.compile(request.of));
  WatchCursor cursor(store, *request.of.kind, std::move(selector), position);
  if (begins_with_objects(request, from)) {
    BERTH_TRY(kube::ListPage page, store.list({.of = request.of}, position));
    for (kube::Document& object : page.items) {
      cursor.initial_.push_back(
          {.type = kube::WatchEventType::kAdded, .object = std::move(object)});
    }
  }
  if (request.send_initial_events && request.allow_bookmarks) {
    cursor.initial_.push_back(bookmark_event(*request.of.kind, position, true));
  }
  if (position < store.compacted()) {
    return Error(ErrorCode::kGone, fmt::format("too old resource version: {}", position));
  }
  return cursor;
}

Result<std::optional<kube::WatchEvent>> WatchCursor::next(std::uint64_t known,
                                                          const std::function<bool()>& skips) {
  if (!initial_.empty()) {
    std::optional<kube::WatchEvent> first(std::move(initial_.front()));
    initial_.pop_front();
    return first;
  }
  if (position_ < store_->compacted()) {
    return Error(ErrorCode::kGone, fmt::format("too old resource version: {}", position_));
  }
  for (const Change* change = store_->change_after(position_);
       change != nullptr && change->resource_version <= known;
       change = store_->change_after(position_)) {
    position_ = change->resource_version;
    auto event = event_of(*change, *selector_);
    if (!event) {
      continue;
    }
    // The others are not skipped: what follows would be of an object nobody has heard of, or
    // nothing would follow.
    const bool can_be_skipped =
        skips && event->type == kube::WatchEventType::kModified && is_overtaken(*change, known);
    if (!can_be_skipped || !skips()) {
      return event;
    }
  }
  return std::optional<kube::WatchEvent>();
}

// Only the very next event may stand for this one: the stream still shows, up to every version it
// has reached, what there was at that version.
bool WatchCursor::is_overtaken(const Change& change, std::uint64_t known) const {
  const Change* next = &change;
  do {
    next = store_->change_after(next->resource_version);
  } while (next != nullptr && *next->kind != *change.kind);
  return next != nullptr && next->resource_version <= known && next->key == change.key &&
         event_of(*next, *selector_).has_value();
}

}  // namespace berth::world
