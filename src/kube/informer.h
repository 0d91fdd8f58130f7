// Stores that follow the cluster: one watch a kind, handlers that hear of every change.
//
//   Informers informers(runtime, client, {.on_problem = log_problem});
//   auto& pods = informers.add<api::Pod>({.mask = kPodMask});
//   auto& nodes = informers.add<api::Node>();
//   pods.on_change([&queue](const auto& event) { queue.add(key_of(*event.newest())); });
//   scope.spawn("informers", informers.run(scope.token()));
//   co_await informers.wait_until_synced(until);
//   ... pods.cache().find(key) ...
//
// Handlers are plain functions that return quickly; they put keys into a work queue. No two run at
// once. Changes have one order for all kinds, that of `sequence`, and all handlers of a change run,
// in the order of their registration, before the next change of whatever kind.
//
// When a kind is listed again its store changes as a whole, then the handlers hear of each
// difference. In between nothing else runs.
//
// Informers outlive what runs them and who waits for them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/codec/json.h"
#include "api/kind.h"
#include "api/mask.h"
#include "base/assert.h"
#include "base/error.h"
#include "kube/cache.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/feed.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "kube/watcher.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// A change as handlers hear of it.
template <typename Object>
struct InformerEvent : Change<Object> {
  bool is_relist = false;      // found by comparing lists: states in between were not seen
  std::uint64_t sequence = 0;  // 1, 2, 3 ... over all kinds
  // Of a deletion that was watched: the object as it was then, which may be newer than `before`.
  std::shared_ptr<const Object> last = nullptr;
  // Of the list or event that showed it: what is told was so at this version.
  std::string resource_version = {};

  // The object as it is now or, when it is deleted, as it was last as far as anybody said.
  const std::shared_ptr<const Object>& newest() const {
    return this->after ? this->after : last ? last : this->before;
  }
};

// The annotation of the bookmark that ends the initial events.
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

struct InformerOptions {
  std::string ns;  // empty: all namespaces
  std::string label_selector;
  std::string field_selector;
  std::optional<api::Mask> mask;  // the fields that are kept; see cache.h
};

// One kind: its store and who wants to hear of it. Made by Informers::add.
template <api::TopLevel Object>
class Informer : public Feed {
 public:
  using Handler = std::function<void(const InformerEvent<Object>& event)>;

  Informer(rt::Runtime& runtime, InformerOptions options, std::uint64_t* sequence);

  // Before run.
  void on_change(Handler handler) {
    BERTH_ASSERT(!has_synced(), "handlers are registered before the first event");
    handlers_.push_back(std::move(handler));
  }
  void add_index(std::string name, typename Cache<Object>::IndexFunction function) {
    cache_.add_index(std::move(name), std::move(function));
  }

  const Cache<Object>& cache() const { return cache_; }

 protected:
  // How a list or an event comes into the store is what another Informer may do otherwise: see
  // Informers::add_as.
  void swap() override;
  void apply_event() override;
  // The objects of the list, in order of namespace and name.
  std::vector<std::shared_ptr<const Object>> take_collected();
  Cache<Object>& cache_to_change() { return cache_; }
  // `last` is what a deletion among the changes showed of its object.
  void tell(const std::vector<Change<Object>>& changes,
            bool is_relist,
            const std::shared_ptr<const Object>& last = nullptr);

 private:
  // An object that was read or, where that failed, at least which one it is.
  struct Item {
    std::shared_ptr<const Object> object;  // empty: bad, its last good state stands for it
    std::string uid;                       // of a bad one
  };

  ReadEvent read_event(const WatchEvent& event) override;
  void collect_event() override;
  void begin_collecting() override { collected_.clear(); }
  std::vector<Error> collect(const std::vector<Document>& items) override;
  // What the store has of a bad object. A name may have been given to another one since.
  std::shared_ptr<const Object> last_good(const ObjectKey& key, const std::string& uid) const;

  // Constant after construction; handlers until the first event.
  std::vector<Handler> handlers_;
  std::uint64_t* sequence_;

  Cache<Object> cache_;
  api::codec::JsonReader reader_;
  // Of the event read last.
  WatchEventType current_type_ = WatchEventType::kBookmark;
  ObjectKey current_key_;
  Item current_;
  // By pages or initial events. Sorted when it is swapped in: no order of theirs counts.
  std::map<ObjectKey, Item> collected_;
};

class Informers {
 public:
  struct Options {
    WatcherOptions watcher = {};
    // Called between two awaits; may be empty.
    std::function<void(const Problem& problem)> on_problem = {};
  };

  // Both outlive it.
  Informers(rt::Runtime& runtime, Client& client, Options options);
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;
  ~Informers();

  // Before run, once for each kind. Lives as long as the Informers.
  template <api::TopLevel Object>
  Informer<Object>& add(InformerOptions options = {}) {
    return add_as<Informer<Object>>(std::move(options));
  }
  // The same with a class of one's own, derived from an Informer.
  template <typename Derived>
  Derived& add_as(InformerOptions options = {}) {
    auto informer = std::make_unique<Derived>(runtime_, std::move(options), &sequence_);
    Derived& added = *informer;
    add_feed(std::move(informer));
    return added;
  }

  // Follows all kinds until the token is cancelled. Once.
  rt::Task<void> run(rt::CancelToken token);

  // Every kind has been listed, and its handlers have heard of every object.
  bool has_synced() const;
  // Wake::kNotified once has_synced(); Wake::kCancelled also when run() has ended before.
  rt::Task<rt::Wake> wait_until_synced(rt::Until until);

  // Waits until the store of a kind that was added is as new as `resource_version`, which a write
  // of an object of that kind has answered with, and its handlers have run: Wake::kNotified. Of a
  // kind that is followed only in part this needs the next bookmark when the object is not in that
  // part. Wake::kCancelled also when run() has ended before.
  rt::Task<rt::Wake> wait_until_seen(const api::Kind* kind,
                                     std::string resource_version,
                                     rt::Until until);

 private:
  // kReady -> kRunning -> kOver, also when what runs is given up.
  enum class Life : std::uint8_t { kReady, kRunning, kOver };
  struct Run;

  void add_feed(std::unique_ptr<Feed> feed);
  void report(const Problem& problem);
  Feed* find_feed(const api::Kind& kind) const;
  struct Follower;
  rt::Task<void> follow_all(std::unique_ptr<Run> run, rt::CancelToken token);
  // One kind, until the token is cancelled.
  rt::Task<void> follow(Feed* feed, rt::CancelToken token);
  // What the watcher asks for and is not done at once; returns what came of it.
  rt::Task<Watcher::Input> fetch_page(Follower* follower, Watcher::FetchPage asked);
  rt::Task<Watcher::Input> open_watch(Follower* follower, Watcher::OpenWatch asked);
  rt::Task<Watcher::Input> await_event(Follower* follower, Watcher::AwaitEvent asked);
  rt::Task<Watcher::Input> pause(Follower* follower, Watcher::Sleep asked);
  // What is done at once.
  void apply(Follower& follower, const Watcher::Action& action);
  Watcher::Failed failed(Follower& follower, Error error);
  void report_bad_object(Feed& feed, Error error);

  rt::Runtime& runtime_;
  Client& client_;
  Options options_;
  Life life_ = Life::kReady;
  std::vector<std::unique_ptr<Feed>> feeds_;
  std::uint64_t sequence_ = 0;
  rt::WaitQueue synced_;
};

template <api::TopLevel Object>
Informer<Object>::Informer(rt::Runtime& runtime, InformerOptions options, std::uint64_t* sequence)
    : Feed(runtime,
           {.kind = &Object::kKind,
            .ns = std::move(options.ns),
            .label_selector = std::move(options.label_selector),
            .field_selector = std::move(options.field_selector)}),
      sequence_(sequence),
      cache_(std::move(options.mask)) {}

template <api::TopLevel Object>
Feed::ReadEvent Informer<Object>::read_event(const WatchEvent& event) {
  current_type_ = event.type;
  current_key_ = {};
  current_ = {};
  ReadEvent read{.input = {.type = event.type}};
  if (event.type != WatchEventType::kBookmark) {
    auto object = decode<Object>(reader_, event.object, cache_.mask());
    if (object) {
      read.input.resource_version = object->metadata.resource_version;
      if (read.input.resource_version.empty()) {
        read.error = Error(ErrorCode::kInvalid, "metadata.resourceVersion: is missing");
      }
      current_key_ = key_of(*object);
      current_.object = std::make_shared<const Object>(*std::move(object));
      return read;
    }
    read.error = std::move(object).error();
  }
  auto head = read_head(event.object);
  if (!head) {
    read.error = std::move(head).error();
    return read;
  }
  read.input.resource_version = head->metadata.resource_version;
  if (event.type == WatchEventType::kBookmark) {
    // Of no object, whatever name it bears.
    read.input.ends_initial_events = head->metadata.annotations.contains(kInitialEventsEnd);
    return read;
  }
  current_key_ = {.ns = head->metadata.ns, .name = head->metadata.name};
  current_.uid = head->metadata.uid;
  return read;
}

template <api::TopLevel Object>
void Informer<Object>::apply_event() {
  if (current_type_ == WatchEventType::kBookmark) {
    return;
  }
  const bool is_deleted = current_type_ == WatchEventType::kDeleted;
  if (current_.object && !is_deleted) {
    tell(cache_.put(std::move(current_.object)), false);
  } else if (is_deleted || !last_good(current_key_, current_.uid)) {
    tell(cache_.erase(current_key_), false, current_.object);
  }
}

template <api::TopLevel Object>
void Informer<Object>::collect_event() {
  if (current_type_ == WatchEventType::kDeleted) {
    collected_.erase(current_key_);
  } else if (!current_key_.name.empty()) {
    collected_[current_key_] = std::move(current_);
  }
}

template <api::TopLevel Object>
std::vector<Error> Informer<Object>::collect(const std::vector<Document>& items) {
  std::vector<Error> errors;
  for (const Document& item : items) {
    auto object = decode<Object>(reader_, item, cache_.mask());
    if (object) {
      const ObjectKey key = key_of(*object);
      collected_[key].object = std::make_shared<const Object>(*std::move(object));
      continue;
    }
    errors.push_back(std::move(object).error());
    if (auto head = read_head(item)) {
      collected_[{.ns = head->metadata.ns, .name = head->metadata.name}] = {
          .object = nullptr, .uid = head->metadata.uid};
    }
  }
  return errors;
}

template <api::TopLevel Object>
std::shared_ptr<const Object> Informer<Object>::last_good(const ObjectKey& key,
                                                          const std::string& uid) const {
  auto known = cache_.find(key);
  return known && known->metadata.uid == uid ? known : nullptr;
}

template <api::TopLevel Object>
std::vector<std::shared_ptr<const Object>> Informer<Object>::take_collected() {
  std::vector<std::shared_ptr<const Object>> objects;
  objects.reserve(collected_.size());
  for (auto& [key, item] : collected_) {
    auto known = item.object ? std::move(item.object) : last_good(key, item.uid);
    if (known) {
      objects.push_back(std::move(known));
    }
  }
  collected_.clear();
  return objects;
}

template <api::TopLevel Object>
void Informer<Object>::swap() {
  tell(cache_.replace(take_collected()), true);
}

template <api::TopLevel Object>
void Informer<Object>::tell(const std::vector<Change<Object>>& changes,
                            bool is_relist,
                            const std::shared_ptr<const Object>& last) {
  for (const Change<Object>& change : changes) {
    ++counts_.changes;
    InformerEvent<Object> event{change, is_relist, ++*sequence_, nullptr, applying_};
    // Another object of the name says nothing about the one that was known.
    if (last && !change.after && change.before->metadata.uid == last->metadata.uid) {
      event.last = last;
    }
    for (const Handler& handler : handlers_) {
      handler(event);
    }
  }
}

}  // namespace berth::kube
