// What the coroutine that follows a kind needs of its store, whatever the kind; informer.h fills it
// in. Not for users of the toolkit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "base/error.h"
#include "kube/client.h"
#include "kube/problem.h"  // IWYU pragma: export
#include "kube/watcher.h"
#include "rt/runtime.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// What an informer has been through.
struct InformerCounts {
  std::uint64_t changes = 0;  // that handlers were told of
  std::uint64_t swaps = 0;    // complete lists, the first one included
  std::uint64_t watches_opened = 0;
  std::uint64_t requests_failed = 0;
  std::uint64_t bad_objects = 0;
};

class Feed {
 public:
  Feed(rt::Runtime& runtime, Selection selection)
      : selection_(std::move(selection)), progress_(runtime, "a version to be seen") {}
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  virtual ~Feed() = default;

  const Selection& selection() const { return selection_; }
  const InformerCounts& counts() const { return counts_; }
  // How new the store is; empty until it has been filled.
  const std::string& resource_version() const { return version_; }
  bool has_synced() const { return !version_.empty(); }

 protected:
  // Called by the coroutine that follows the kind, between two awaits.
  friend class Informers;

  // Reads the object of an event and keeps it for collect_event() or apply_event(). An object that
  // cannot be read gives an error, and an input with as much as could be read.
  struct ReadEvent {
    Watcher::EventArrived input;
    std::optional<Error> error;
  };
  virtual ReadEvent read_event(const WatchEvent& event) = 0;
  virtual void apply_event() = 0;
  virtual void collect_event() = 0;

  virtual void begin_collecting() = 0;
  // Returns an error for each item that could not be read.
  virtual std::vector<Error> collect(const std::vector<Document>& items) = 0;
  // Changes the store as a whole, then calls the handlers.
  virtual void swap() = 0;

  // Constant after construction.
  Selection selection_;

  InformerCounts counts_;
  std::string version_;
  std::string applying_;    // the version that is being applied, while it is
  rt::WaitQueue progress_;  // notified when version_ moves
};

}  // namespace berth::kube
