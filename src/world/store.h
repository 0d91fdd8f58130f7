// The truth of an embedded API server: whole JSON documents under one global resourceVersion.
//
// Pure and synchronous: a call either changes the store or it does not, and every change is one
// entry of the log. Versions are kept, so the state at an earlier resourceVersion can be read: that
// is how pages of one list agree, and how a server that lags behind is told apart from one that
// does not. What is older than the history is compacted away; asking for it gives kGone.
//
// The semantics are those of a kube-apiserver: names and generated names, UIDs, generation,
// creation and deletion timestamps, finalizers, graceful deletion of pods, optimistic concurrency,
// the three patches, the subresources status, binding and eviction, label and field selectors.
// Kinds are those of api/kinds.h. Nothing of a document is dropped because we do not know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/kind.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::world {

// One version of one object. Immutable.
class Version;
using VersionPtr = std::shared_ptr<const Version>;

enum class ChangeType : std::uint8_t { kAdded, kModified, kDeleted };

// One write that was applied: the log from which truth is computed.
struct Change {
  std::uint64_t resource_version = 0;
  ChangeType type = ChangeType::kAdded;
  const api::Kind* kind = nullptr;
  kube::ObjectKey key;
  VersionPtr before;  // nullptr for kAdded
  VersionPtr after;   // for kDeleted the last state, with the resourceVersion of the deletion
};

// A selection whose selectors have been understood.
class Selector;

class Store {
 public:
  struct Options {
    std::function<rt::WallTime()> clock;
    rt::Random random{1};              // for UIDs and generated names
    std::size_t history_max = 10'000;  // changes kept for watches and old lists
  };

  explicit Store(Options options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // That of the last change. A new store has made the namespaces default and kube-system, so it is
  // at 3 and the log tells of them.
  std::uint64_t resource_version() const;
  // Reading or watching from before this gives kGone.
  std::uint64_t compacted() const;

  // Reads see the state at `at`, which is not after resource_version().
  Result<std::string> get(const kube::GetRequest& request, std::uint64_t at) const;
  // Uses selection, limit and continue_token; a token carries the resourceVersion it belongs to and
  // then `at` is ignored. Items are JSON with kind and apiVersion.
  Result<kube::ListPage> list(const kube::ListRequest& request, std::uint64_t at) const;

  // Writes answer with the object as it is then (for binding and eviction a Status), as JSON.
  Result<std::string> create(const kube::CreateRequest& request);
  Result<std::string> patch(const kube::PatchRequest& request);
  Result<void> remove(const kube::RemoveRequest& request);

  // What a deletion waits for besides finalizers has happened: the pod is gone from its node, the
  // namespace has been emptied. kNotFound if the object is not there, kConflict if it is not being
  // deleted or the namespace still holds something.
  Result<void> finish_deletion(const api::Kind& kind, const kube::ObjectKey& key);

  // Forgets all changes up to and including `resource_version`.
  void compact(std::uint64_t resource_version);

  // The first change after `resource_version`, or nullptr when there is none yet; not before
  // compacted(). The pointer is good until the next write or compaction.
  const Change* change_after(std::uint64_t resource_version) const;

  // `observer` is called after every change, until it is forgotten. It does not write to the store.
  std::uint64_t on_change(std::function<void()> observer);
  // Takes what on_change() answered.
  void forget_observer(std::uint64_t observer);

  // kInvalid for a selector that cannot be parsed or a field that cannot be selected by.
  Result<std::shared_ptr<const Selector>> compile(const kube::Selection& selection) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// What a watch of `selector` shows of a change: nothing if it is not concerned, ADDED when an
// object begins to match, DELETED when it stops to.
std::optional<kube::WatchEvent> event_of(const Change& change, const Selector& selector);

// A bookmark of a watch of `kind`: everything up to `resource_version` has been shown. With
// `ends_initial_events` it carries the annotation that says so.
kube::WatchEvent bookmark_event(const api::Kind& kind,
                                std::uint64_t resource_version,
                                bool ends_initial_events);

// The JSON of a version.
const std::string& text_of(const Version& version);

}  // namespace berth::world
