// Which events to send, and when. Decides only; event_recorder.h sends.
//
// The same event again (the same object, reason, action, type and note) within a while is one
// series: the first is created, for the others its count is patched. Another note is another event:
// servers of events.k8s.io do not let it be changed, and a series under its first note would tell
// people what was so long ago. Each send takes from the
// budget of the object and from that of all; without budget a repetition is only counted, and told
// with the next one that has some, and a new event is dropped.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <variant>

#include "api/objects/references.h"
#include "api/time.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "kube/token_bucket.h"
#include "rt/time.h"

namespace berth::kube {

// What happened to whom.
struct RecordedEvent {
  api::ObjectReference regarding;
  std::string type = "Normal";  // or "Warning"
  std::string reason;           // CamelCase, for programs
  std::string action;           // what was done or tried, CamelCase
  std::string note;             // for people; cut at 1,024 bytes, as a server demands
};

struct EventRecorderOptions {
  // The first two are client-go's spam filter.
  Budget per_object{.burst = 25, .refill = std::chrono::minutes(5)};
  Budget overall{.burst = 100, .refill = std::chrono::milliseconds(100)};
  // Without a repetition for so long a series is over. As client-go.
  rt::Duration series_quiet_max = std::chrono::minutes(6);
  std::size_t series_max = 4096;  // remembered; the one that was silent longest is forgotten
  std::size_t queue_max = 1000;   // series that have something to send
  std::uint32_t attempts_max = 3;
  rt::Duration retry_delay = std::chrono::seconds(10);
};

class EventRecorderState {
 public:
  struct Counts {
    std::uint64_t recorded = 0;
    std::uint64_t created = 0;
    std::uint64_t patched = 0;
    std::uint64_t over_budget = 0;  // dropped, or counted only
    std::uint64_t queue_full = 0;   // dropped
    std::uint64_t failed = 0;       // given up after attempts_max
  };

  // What happened. ---------------------------------------------------------------------------

  struct Recorded {
    RecordedEvent event;
    api::MicroTime wall;
    std::uint64_t nonce = 0;  // random; makes the name of the Event object
  };
  // Somebody is there to send, or the sleep is over.
  struct Ready {};
  // What came of the last Send.
  struct Sent {
    std::string uid;  // of the Event object; empty: not known
  };
  struct Failed {
    ErrorCode code = ErrorCode::kUnavailable;
    rt::Duration retry_after{};
  };
  using Input = std::variant<Recorded, Ready, Sent, Failed>;

  // What to do. ------------------------------------------------------------------------------

  // Nothing, until something is recorded.
  struct Wait {};
  // Wake who sends: there is something to send.
  struct Wake {};
  struct Sleep {
    rt::Time until{};
  };
  // Answered by Sent or Failed.
  struct Send {
    RecordedEvent event;
    std::string name;       // of the Event object
    std::string uid;        // of the Event object to patch; empty: to be looked up
    bool is_create = true;  // else: patch count and times
    std::uint32_t count = 1;
    api::MicroTime first;
    api::MicroTime last;
  };
  // Of Recorded it is Wait or Wake, of all others one of the other three.
  using Action = std::variant<Wait, Wake, Sleep, Send>;

  EventRecorderState(EventRecorderOptions options, rt::Time now);

  Action step(const Input& input, rt::Time now);

  const Counts& counts() const { return counts_; }
  std::size_t queued() const { return queue_.size(); }

 private:
  struct Series {
    std::string text;  // what makes it this one
    RecordedEvent event;
    std::string name;
    std::string uid;  // of the Event object, where an answer has said it
    api::MicroTime first;
    api::MicroTime last;
    rt::Time observed_at{};  // last
    std::uint32_t count = 0;
    std::uint32_t sent = 0;  // the count that the server knows; 0: not even created
    std::uint32_t attempts = 0;
    bool is_queued = false;
  };
  using SeriesList = std::list<Series>;  // the one observed last stands last

  Action on(const Recorded& recorded, rt::Time now);
  Action on(const Ready& ready, rt::Time now);
  Action on(const Sent& sent, rt::Time now);
  Action on(const Failed& failed, rt::Time now);

  Action repeat(SeriesList::iterator series, const Recorded& recorded, rt::Time now);
  Action begin(std::string text, const Recorded& recorded, rt::Time now);
  // The server knows of so many of the series at the front of the queue.
  Action told(std::uint32_t count, rt::Time now);
  // Whether a send for this object is within its budget; takes from it.
  bool afford(const api::ObjectReference& object, rt::Time now);
  bool enqueue(SeriesList::iterator series);
  void dequeue();
  void forget_old(rt::Time now);

  // Constant after construction.
  EventRecorderOptions options_;

  SeriesList series_;
  HashMap<std::string, SeriesList::iterator> by_text_;
  HashMap<std::string, TokenBucket> buckets_;
  TokenBucket overall_;
  std::deque<SeriesList::iterator> queue_;
  std::uint32_t sending_ = 0;              // the count that is being sent of the front of the queue
  rt::Time not_before_ = rt::Time::min();  // after a failure nothing is sent: they share a server
  Counts counts_;
};

}  // namespace berth::kube
