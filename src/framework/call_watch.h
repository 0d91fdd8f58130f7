// Which plugin is being called right now, visible from another thread.
//
// A plain function cannot be interrupted: a plugin that does not return stops the reactor, and with
// it everything that could say so. Whoever runs a process therefore looks at this from a thread of
// its own now and then, and says or ends what does not move:
//
//   if (auto hang = detector.step(watch.look(), now)) { log.error("plugin does not return", ...); }
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "framework/points.h"
#include "rt/time.h"

namespace berth::framework {

struct CallName {
  std::string plugin;
  Point point = Point::kValidate;
};

class CallWatch {
 public:
  // A call from its beginning to its end. Calls nest. `name` outlives the watch.
  class Call {
   public:
    Call(CallWatch& watch, const CallName& name) : watch_(watch), outer_(watch.enter(&name)) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { watch_.enter(outer_); }

   private:
    CallWatch& watch_;
    const CallName* outer_;
  };

  struct Sighting {
    std::uint64_t moves = 0;  // goes up whenever a call begins or ends
    const CallName* name = nullptr;
  };
  // Nothing when no plugin is being called, or that is changing just now. On any thread.
  std::optional<Sighting> look() const;

 private:
  const CallName* enter(const CallName* name);

  std::atomic<const CallName*> current_{nullptr};
  std::atomic<std::uint64_t> moves_{0};
};

struct Hang {
  CallName call;
  rt::Duration seen_for{};
};

// Remembers what it saw: a call that is still the same after `limit` hangs.
class HangDetector {
 public:
  explicit HangDetector(rt::Duration limit) : limit_(limit) {}

  // What is seen at `now`. Each hang is told once.
  std::optional<Hang> step(const std::optional<CallWatch::Sighting>& sighting, rt::Time now);

 private:
  rt::Duration limit_;
  std::optional<std::uint64_t> moves_;
  rt::Time since_{};
  bool is_told_ = false;
};

}  // namespace berth::framework
