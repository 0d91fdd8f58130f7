// Where a watch is in the log of a store, and what it shows next. Waiting is left to those who have
// one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "base/result.h"
#include "kube/client.h"
#include "world/store.h"

namespace berth::world {

// A resourceVersion of a request; 0 if it says nothing. kInvalid when it is no number.
Result<std::uint64_t> parse_version(std::string_view text);

// Whether the stream begins with an ADDED for each object there is: it is asked for, or the request
// does not say where to go on from. `from` is its resourceVersion.
bool begins_with_objects(const kube::WatchRequest& request, std::uint64_t from);

class WatchCursor {
 public:
  // Shows what comes after `position`, behind the objects there are then if the stream begins with
  // them. kGone when that has been forgotten; kInvalid for a selector. The store outlives it.
  static Result<WatchCursor> begin(const Store& store,
                                   const kube::WatchRequest& request,
                                   std::uint64_t from,
                                   std::uint64_t position);

  // The next event there is, for one who knows the changes up to `known`. kGone when the log no
  // longer reaches back far enough.
  //
  // `skips`, if given, is asked for each state that the very next event overtakes, and is of the
  // same object: whether to leave it out.
  Result<std::optional<kube::WatchEvent>> next(std::uint64_t known,
                                               const std::function<bool()>& skips = {});

  // Everything up to here has been shown.
  std::uint64_t position() const { return position_; }
  kube::WatchEvent bookmark() const { return bookmark_event(*kind_, position_, false); }
  const api::Kind& kind() const { return *kind_; }

 private:
  WatchCursor(const Store& store,
              const api::Kind& kind,
              std::shared_ptr<const Selector> selector,
              std::uint64_t position)
      : store_(&store), kind_(&kind), selector_(std::move(selector)), position_(position) {}

  bool is_overtaken(const Change& change, std::uint64_t known) const;

  const Store* store_;
  const api::Kind* kind_;
  std::shared_ptr<const Selector> selector_;
  std::uint64_t position_;
  std::deque<kube::WatchEvent> initial_;
};

}  // namespace berth::world
