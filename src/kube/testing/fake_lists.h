// For tests: the pods or nodes of a server, to be listed and watched.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "kube/testing/fake_client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube::testing {

// Objects of any number of kinds under one resourceVersion. Use it as the client.
class FakeLists : public FakeClient {
  struct Stored {
    std::string uid;
    Document document;
  };
  using Objects = std::map<ObjectKey, Stored>;

 public:
  explicit FakeLists(rt::Runtime& runtime) : FakeClient(runtime), changed_(runtime, "a change") {
    on_list = [this](const ListRequest& request) { return list_now(request); };
    on_watch = [this](const WatchRequest& request) { return open(request); };
  }

  // `spec` is JSON. Returns the resourceVersion.
  std::string put(const api::Kind& kind, const ObjectKey& key, std::string_view spec = "{}") {
    Objects& objects = objects_[kind.name];
    const bool is_new = !objects.contains(key);
    ++version_;
    Stored& stored = objects[key];
    if (is_new) {
      stored.uid = fmt::format("uid-{}", version_);
    }
    stored.document = document_of(kind, key, stored.uid, spec);
    add_event(kind, is_new ? WatchEventType::kAdded : WatchEventType::kModified, stored.document);
    return std::to_string(version_);
  }
  // Another object in the place of one that is there; watches see the second one only.
  void replace(const api::Kind& kind, const ObjectKey& key, std::string_view spec = "{}") {
    objects_[kind.name].at(key).uid = fmt::format("uid-{}", version_ + 1);
    put(kind, key, spec);
  }
  // `spec` is what it was last.
  void erase(const api::Kind& kind, const ObjectKey& key, std::string_view spec = "{}") {
    Objects& objects = objects_[kind.name];
    ++version_;
    add_event(kind, WatchEventType::kDeleted, document_of(kind, key, objects.at(key).uid, spec));
    objects.erase(key);
  }
  // The same, and the event cannot be read.
  void erase_unreadably(const api::Kind& kind, const ObjectKey& key) {
    ++version_;
    objects_[kind.name].erase(key);
    add_event(kind, WatchEventType::kDeleted, {.bytes = "{"});
  }
  // A bookmark at the present version, to all watches of the kind. It may bear the name of an
  // object, which means nothing.
  void bookmark(const api::Kind& kind, const ObjectKey& key = {}) {
    ++version_;
    add_event(kind, WatchEventType::kBookmark, document_of(kind, key, "", "{}"));
  }

  // Ends all watches.
  void cut() {
    ++epoch_;
    changed_.notify_all();
  }
  // Forgets what happened so far: watches from before are told kGone.
  void compact() {
    compacted_ = version_;
    log_.clear();
    changed_.notify_all();
  }
  std::uint64_t version() const { return version_; }

  struct Backup {
    std::uint64_t version;
    std::map<std::string_view, Objects> objects;
  };
  Backup backup() const { return {version_, objects_}; }
  // All is as it was then, versions too; watches end.
  void restore(const Backup& backup) {
    version_ = backup.version;
    objects_ = backup.objects;
    compacted_ = version_;
    log_.clear();
    cut();
  }

  bool supports_initial_events = true;
  // Answers for the next requests instead of what they ask for.
  std::deque<Error> list_errors;
  std::deque<Error> watch_errors;
  // What was asked.
  std::vector<ListRequest> lists;
  std::vector<WatchRequest> watches;

 private:
  struct Event {
    std::uint64_t version;
    std::string_view kind;
    WatchEvent event;
  };

  class Stream final : public Watch {
   public:
    Stream(FakeLists& lists, std::string_view kind, std::uint64_t from)
        : lists_(lists), kind_(kind), seen_(from), epoch_(lists.epoch_) {}

    rt::Task<Result<std::optional<WatchEvent>>> next(rt::Until until) override {
      for (;;) {
        if (!first.empty()) {
          WatchEvent event = std::move(first.front());
          first.pop_front();
          co_return std::optional(std::move(event));
        }
        if (epoch_ != lists_.epoch_) {
          co_return std::optional<WatchEvent>();
        }
        if (seen_ < lists_.compacted_) {
          co_return Error(ErrorCode::kGone, "compacted");
        }
        const auto found = std::ranges::find_if(lists_.log_, [&](const Event& event) {
          return event.version > seen_ && event.kind == kind_;
        });
        if (found != lists_.log_.end()) {
          seen_ = found->version;
          co_return std::optional(found->event);
        }
        const rt::Wake wake = co_await lists_.changed_.wait(until);
        if (wake != rt::Wake::kNotified) {
          co_return Error(
              wake == rt::Wake::kCancelled ? ErrorCode::kCancelled : ErrorCode::kTimeout,
              "no event");
        }
      }
    }

    std::deque<WatchEvent> first;  // before what is in the log

   private:
    FakeLists& lists_;
    std::string_view kind_;
    std::uint64_t seen_;
    std::uint64_t epoch_;
  };

  Document document_of(const api::Kind& kind,
                       const ObjectKey& key,
                       std::string_view uid,
                       std::string_view spec,
                       std::string_view annotations = "{}") const {
    return {.bytes = fmt::format(
                R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}","namespace":"{}",)"
                R"("uid":"{}","resourceVersion":"{}","annotations":{}}},"spec":{}}})",
                kind.api_version(),
                kind.name,
                key.name,
                key.ns,
                uid,
                version_,
                annotations,
                spec)};
  }

  void add_event(const api::Kind& kind, WatchEventType type, const Document& document) {
    log_.push_back({version_, kind.name, {type, document}});
    changed_.notify_all();
  }

  bool is_ahead(const std::string& version) const {
    return !version.empty() && std::stoull(version) > version_;
  }

  Result<ListPage> list_now(const ListRequest& request) {
    lists.push_back(request);
    if (!list_errors.empty()) {
      Error error = std::move(list_errors.front());
      list_errors.pop_front();
      return error;
    }
    if (is_ahead(request.resource_version)) {
      return Error(ErrorCode::kTimeout, "too large a resource version");
    }
    // A token is the version of its list and the number of the next item.
    std::uint64_t version = version_;
    std::size_t begin = 0;
    if (!request.continue_token.empty()) {
      const auto colon = request.continue_token.find(':');
      version = std::stoull(request.continue_token.substr(0, colon));
      begin = std::stoull(request.continue_token.substr(colon + 1));
    } else {
      std::vector<Document>& items = snapshots_[{request.of.kind->name, version}];
      items.clear();
      for (const auto& [key, stored] : objects_[request.of.kind->name]) {
        items.push_back(stored.document);
      }
    }
    const std::vector<Document>& all = snapshots_.at({request.of.kind->name, version});
    const std::size_t limit =
        request.limit == 0 ? all.size() : static_cast<std::size_t>(request.limit);
    const std::size_t end = std::min(all.size(), begin + limit);
    ListPage page{.resource_version = std::to_string(version)};
    for (std::size_t i = begin; i < end; ++i) {
      page.items.push_back(all[i]);
    }
    if (end < all.size()) {
      page.continue_token = fmt::format("{}:{}", version, end);
    }
    return page;
  }

  Result<std::unique_ptr<Watch>> open(const WatchRequest& request) {
    watches.push_back(request);
    if (!watch_errors.empty()) {
      Error error = std::move(watch_errors.front());
      watch_errors.pop_front();
      return error;
    }
    if (is_ahead(request.resource_version)) {
      return Error(ErrorCode::kTimeout, "too large a resource version");
    }
    if (!request.send_initial_events) {
      const std::uint64_t from = std::stoull(request.resource_version);
      if (from < compacted_) {
        return Error(ErrorCode::kGone, "compacted");
      }
      return std::unique_ptr<Watch>(std::make_unique<Stream>(*this, request.of.kind->name, from));
    }
    if (!supports_initial_events) {
      return Error(ErrorCode::kInvalid, "sendInitialEvents is forbidden");
    }
    auto stream = std::make_unique<Stream>(*this, request.of.kind->name, version_);
    for (const auto& [key, stored] : objects_[request.of.kind->name]) {
      stream->first.push_back({WatchEventType::kAdded, stored.document});
    }
    stream->first.push_back(
        {WatchEventType::kBookmark,
         document_of(*request.of.kind, {}, "", "{}", R"({"k8s.io/initial-events-end":"true"})")});
    return std::unique_ptr<Watch>(std::move(stream));
  }

  std::uint64_t version_ = 10;
  std::uint64_t compacted_ = 0;
  std::uint64_t epoch_ = 0;
  std::map<std::string_view, Objects> objects_;
  std::map<std::pair<std::string_view, std::uint64_t>, std::vector<Document>> snapshots_;
  std::deque<Event> log_;
  rt::WaitQueue changed_;
};

}  // namespace berth::kube::testing
