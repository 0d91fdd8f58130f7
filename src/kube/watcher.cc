#include "kube/watcher.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "base/assert.h"
#include "base/error.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/resource_version.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

// After so many failures in a row something other than patience is tried: a list asks for the
// newest instead of "at least as new as", and a watch that cannot be opened gives way to a list. A
// server answers so when the version is one it has never had.
constexpr std::uint32_t kFailuresBeforeAnotherWay = 4;

}  // namespace

Watcher::Action Watcher::step(const Input& input, rt::Time now, rt::Random& random) {
  return std::visit([&](const auto& what) { return on(what, now, random); }, input);
}

Watcher::Action Watcher::on(const Tick& /*tick*/, rt::Time now, rt::Random& /*random*/) {
  switch (state_) {
    case State::kBeginning:
    case State::kSleepingToList:
      return begin(now);
    case State::kSleepingToWatch:
      return open(now);
    case State::kSwapping:
      if (!is_stream_open_) {
        return open(now);
      }
      state_ = State::kWatching;
      return await_event(now);
    case State::kReadingInitial:
    case State::kWatching:
      return await_event(now);
    case State::kListing:
    case State::kOpeningInitial:
    case State::kOpening:
      break;
  }
  BERTH_ASSERT(false, "a request is answered by what came of it");
  return Sleep{now};
}

Watcher::Action Watcher::begin(rt::Time now) {
  const bool asks_newest = is_version_too_old_ || failures_ >= kFailuresBeforeAnotherWay;
  const std::string at_least = asks_newest ? "" : version_;
  is_stream_open_ = false;
  const rt::Time deadline = rt::after(now, options_.request_timeout);
  if (options_.streams_initial_events && !is_streaming_refused_ && streams_next_) {
    state_ = State::kOpeningInitial;
    return OpenWatch{at_least, true, deadline};
  }
  streams_next_ = true;
  list_version_.clear();
  state_ = State::kListing;
  return FetchPage{at_least, is_token_expired_ ? 0 : options_.page_size, "", deadline};
}

Watcher::Action Watcher::open(rt::Time now) {
  state_ = State::kOpening;
  is_stream_open_ = false;
  return OpenWatch{version_, false, rt::after(now, options_.request_timeout)};
}

Watcher::Action Watcher::await_event(rt::Time now) {
  return AwaitEvent{rt::after(now, options_.silence_max)};
}

Watcher::Action Watcher::on(const PageArrived& page, rt::Time now, rt::Random& random) {
  BERTH_ASSERT(state_ == State::kListing, "pages are asked for");
  if (list_version_.empty()) {
    list_version_ = page.resource_version;
  }
  // Known already to be refused: the other pages need not be fetched.
  const bool is_behind = std::is_lt(compare_versions(list_version_, version_));
  const bool is_refused = is_behind && lists_behind_ + 1 < options_.lists_behind_max;
  if (page.continue_token.empty() || is_refused) {
    return complete(list_version_, now, random);
  }
  return FetchPage{
      "", options_.page_size, page.continue_token, rt::after(now, options_.request_timeout)};
}

Watcher::Action Watcher::complete(const std::string& version, rt::Time now, rt::Random& random) {
  const bool is_behind = std::is_lt(compare_versions(version, version_));
  if (is_behind && ++lists_behind_ < options_.lists_behind_max) {
    return pause(State::kSleepingToList, {}, now, random);
  }
  lists_behind_ = 0;
  is_version_too_old_ = false;
  is_token_expired_ = false;
  version_ = version;
  state_ = State::kSwapping;
  return Swap{};
}

Watcher::Action Watcher::on(const WatchOpened& /*opened*/, rt::Time now, rt::Random& /*random*/) {
  BERTH_ASSERT(state_ == State::kOpening || state_ == State::kOpeningInitial,
               "watches are asked for");
  state_ = state_ == State::kOpening ? State::kWatching : State::kReadingInitial;
  opened_at_ = now;
  is_stream_open_ = true;
  has_progressed_ = false;
  return await_event(now);
}

Watcher::Action Watcher::on(const EventArrived& event, rt::Time now, rt::Random& random) {
  BERTH_ASSERT(is_stream_open_, "events come from an open stream");
  const bool is_bookmark = event.type == WatchEventType::kBookmark;
  const bool is_initial = state_ == State::kReadingInitial;
  if (event.resource_version.empty()) {
    // A bookmark that says nothing; or one of the objects there are, which a list could not read
    // either.
    if (is_bookmark || (is_initial && event.type == WatchEventType::kAdded)) {
      return await_event(now);
    }
    return is_initial ? list_failed({.code = ErrorCode::kUnavailable}, now, random)
                      : pause(State::kSleepingToList, {}, now, random);
  }
  if (is_initial && is_bookmark) {
    return event.ends_initial_events ? complete(event.resource_version, now, random)
                                     : await_event(now);
  }
  if (is_initial) {
    return Collect{};
  }
  if (std::is_lteq(compare_versions(event.resource_version, version_))) {
    return await_event(now);
  }
  version_ = event.resource_version;
  has_progressed_ = true;
  failures_ = 0;
  // A bookmark too: who waits for its version is to hear of it.
  return Apply{};
}

Watcher::Action Watcher::on(const StreamEnded& /*ended*/, rt::Time now, rt::Random& random) {
  return on(Failed{.code = ErrorCode::kUnavailable}, now, random);
}

Watcher::Action Watcher::on(const Failed& failed, rt::Time now, rt::Random& random) {
  const bool was_watching = state_ == State::kOpening || state_ == State::kWatching;
  is_stream_open_ = false;
  return was_watching ? watch_over(failed, now, random) : list_failed(failed, now, random);
}

Watcher::Action Watcher::list_failed(const Failed& failed, rt::Time now, rt::Random& random) {
  const bool was_streaming = state_ != State::kListing;
  const bool is_first_page = list_version_.empty();
  if (was_streaming) {
    streams_next_ = false;
    is_streaming_refused_ = failed.code == ErrorCode::kInvalid;
  } else if (failed.code == ErrorCode::kGone && !is_first_page) {
    is_token_expired_ = true;
  }
  if (failed.code == ErrorCode::kGone && (was_streaming || is_first_page)) {
    is_version_too_old_ = true;
  }
  return pause(State::kSleepingToList, failed.retry_after, now, random);
}

Watcher::Action Watcher::watch_over(const Failed& failed, rt::Time now, rt::Random& random) {
  // A quiet kind may have nothing to tell for as long as a server keeps a stream.
  const bool was_open = state_ == State::kWatching;
  const bool was_of_use = was_open && (has_progressed_ || now - opened_at_ >= options_.backoff.max);
  const bool is_gone = failed.code == ErrorCode::kGone;
  if (was_of_use) {
    failures_ = 0;
    if (failed.retry_after == rt::Duration{}) {
      return is_gone ? begin(now) : open(now);
    }
  }
  const bool relists = is_gone || failures_ >= kFailuresBeforeAnotherWay;
  return pause(
      relists ? State::kSleepingToList : State::kSleepingToWatch, failed.retry_after, now, random);
}

Watcher::Action Watcher::pause(State then,
                               rt::Duration at_least,
                               rt::Time now,
                               rt::Random& random) {
  state_ = then;
  is_stream_open_ = false;
  ++failures_;
  return Sleep{rt::after(now, std::max(at_least, options_.backoff.after(failures_, random)))};
}

}  // namespace berth::kube
