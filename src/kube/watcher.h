// How to follow one kind: list, then watch, resume where a watch ended, list again when the server
// no longer remembers that far. Decides only; informer.cc does what it says.
//
//   auto action = watcher.step(Watcher::Tick{}, now, random);      // begins
//   ... does it ...
//   action = watcher.step(what_came_of_it, now, random);
//
// Rules:
//  1. What has been seen never goes back: a list that is older than the last version seen is
//     refused and asked for again, an event that is not newer is dropped. (The versions of a store
//     that was restored from a backup do begin again. A list that stays behind for minutes, asked
//     for again and again, is taken for that.)
//  2. A relist is collected as a whole, then swapped in at once.
//  3. A stream that brought something is opened again at once; one that brought nothing, and
//     whatever fails, is left alone for a while, longer each time.
//  4. An event of which not even the version can be read is not stepped over: all is listed again.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "base/error.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {

struct WatcherOptions {
  std::int64_t page_size = 500;  // as client-go's pager
  // Asks for all objects by a watch instead of a list; goes over to lists where that is refused.
  bool streams_initial_events = false;
  // As client-go's reflector.
  Backoff backoff{.min = std::chrono::milliseconds(800), .max = std::chrono::seconds(30)};
  rt::Duration request_timeout = std::chrono::seconds(60);
  // A stream that is silent for so long is taken for dead. Servers send bookmarks every minute, and
  // end streams after 30 to 60 (--min-request-timeout).
  rt::Duration silence_max = std::chrono::minutes(10);
  // Rule 1: so many lists in a row.
  std::uint32_t lists_behind_max = 10;
};

class Watcher {
 public:
  // What happened. ---------------------------------------------------------------------------

  // Nothing was outstanding, the sleep is over, or what was asked for is done.
  struct Tick {};
  // Its items have been added to what is collected.
  struct PageArrived {
    std::string resource_version;
    std::string continue_token;
  };
  struct WatchOpened {};
  struct EventArrived {
    WatchEventType type = WatchEventType::kBookmark;
    std::string resource_version;  // empty: could not be read, or there is none
    bool ends_initial_events = false;
  };
  struct StreamEnded {};
  // The request, or the stream.
  struct Failed {
    ErrorCode code = ErrorCode::kUnavailable;
    rt::Duration retry_after{};
  };
  using Input = std::variant<Tick, PageArrived, WatchOpened, EventArrived, StreamEnded, Failed>;

  // What to do. ------------------------------------------------------------------------------

  // Answered by PageArrived or Failed. Without a continue token a list begins: what was collected
  // before is worth nothing.
  struct FetchPage {
    std::string resource_version;
    std::int64_t limit = 0;
    std::string continue_token;
    rt::Time deadline{};
  };
  // Answered by WatchOpened or Failed. With initial events: what was collected before is worth
  // nothing.
  struct OpenWatch {
    std::string resource_version;
    bool send_initial_events = false;
    rt::Time deadline{};
  };
  // Answered by EventArrived, StreamEnded or Failed.
  struct AwaitEvent {
    rt::Time deadline{};
  };
  // Add the event's object to what is collected, or take it out. Answered by Tick.
  struct Collect {};
  // Apply the event to the store. Answered by Tick.
  struct Apply {};
  // Make what is collected the content of the store. Answered by Tick.
  struct Swap {};
  // Answered by Tick. A stream that is open is closed.
  struct Sleep {
    rt::Time until{};
  };
  using Action = std::variant<FetchPage, OpenWatch, AwaitEvent, Collect, Apply, Swap, Sleep>;

  explicit Watcher(WatcherOptions options) : options_(options) {}

  Action step(const Input& input, rt::Time now, rt::Random& random);

  // The version of the list, event or bookmark seen last; empty before the first swap.
  const std::string& resource_version() const { return version_; }

 private:
  // What is outstanding, or begins after the sleep.
  enum class State : std::uint8_t {
    kBeginning,        // -> kListing, kOpeningInitial
    kListing,          // -> kListing, kSwapping, kSleepingToList
    kOpeningInitial,   // -> kReadingInitial, kSleepingToList
    kReadingInitial,   // -> itself, kSwapping, kSleepingToList
    kSwapping,         // -> kOpening, kWatching (the stream goes on)
    kOpening,          // -> kWatching, kSleepingToWatch, kSleepingToList, kListing
    kWatching,         // -> itself, kOpening, kSleepingToWatch, kSleepingToList, kListing
    kSleepingToList,   // -> kListing, kOpeningInitial
    kSleepingToWatch,  // -> kOpening
  };

  Action on(const Tick& tick, rt::Time now, rt::Random& random);
  Action on(const PageArrived& page, rt::Time now, rt::Random& random);
  Action on(const WatchOpened& opened, rt::Time now, rt::Random& random);
  Action on(const EventArrived& event, rt::Time now, rt::Random& random);
  Action on(const StreamEnded& ended, rt::Time now, rt::Random& random);
  Action on(const Failed& failed, rt::Time now, rt::Random& random);

  Action begin(rt::Time now);
  Action open(rt::Time now);
  Action await_event(rt::Time now);
  // A complete list or initial stream at `version`: swaps, or refuses it.
  Action complete(const std::string& version, rt::Time now, rt::Random& random);
  Action list_failed(const Failed& failed, rt::Time now, rt::Random& random);
  Action watch_over(const Failed& failed, rt::Time now, rt::Random& random);
  Action pause(State then, rt::Duration at_least, rt::Time now, rt::Random& random);

  // Constant after construction.
  WatcherOptions options_;

  State state_ = State::kBeginning;
  std::string version_;
  std::string list_version_;           // of the list that is being collected
  std::uint32_t failures_ = 0;         // in a row; progress of a watch ends it
  std::uint32_t lists_behind_ = 0;     // in a row
  bool is_version_too_old_ = false;    // to ask a list for; it asks for the newest then
  bool is_token_expired_ = false;      // pages take too long; the next list is one page
  bool is_streaming_refused_ = false;  // for good
  bool streams_next_ = true;           // false: the last initial stream failed, list instead
  bool is_stream_open_ = false;        // after the swap it goes on
  bool has_progressed_ = false;        // since the stream was opened
  rt::Time opened_at_{};
};

}  // namespace berth::kube
