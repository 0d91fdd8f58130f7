#include "kube/informer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "api/kind.h"
#include "base/assert.h"
#include "base/error.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/feed.h"
#include "kube/resource_version.h"
#include "kube/watcher.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

// A flood of events lets others run after so many.
constexpr std::uint64_t kEventsPerTurn = 64;

}  // namespace

struct Informers::Follower {
  Feed* feed;
  rt::CancelToken token;
  Watcher watcher;
  std::unique_ptr<Watch> stream;
};

Informers::Informers(rt::Runtime& runtime, Client& client, Options options)
    : runtime_(runtime),
      client_(client),
      options_(std::move(options)),
      synced_(runtime, "informers to be in sync") {}

Informers::~Informers() = default;

void Informers::add_feed(std::unique_ptr<Feed> feed) {
  BERTH_ASSERT(life_ == Life::kReady, "kinds are added before run");
  BERTH_ASSERT(find_feed(*feed->selection().kind) == nullptr, "a kind is added once");
  feeds_.push_back(std::move(feed));
}

Feed* Informers::find_feed(const api::Kind& kind) const {
  const auto found = std::ranges::find_if(
      feeds_, [&](const auto& feed) { return *feed->selection().kind == kind; });
  return found != feeds_.end() ? found->get() : nullptr;
}

bool Informers::has_synced() const {
  return std::ranges::all_of(feeds_, [](const auto& feed) { return feed->has_synced(); });
}

// However it ends, even before it begins, nobody waits any longer for what will not come.
struct Informers::Run {
  explicit Run(Informers& its_informers) : informers(its_informers) {
    BERTH_ASSERT(informers.life_ == Life::kReady, "informers run once");
    informers.life_ = Life::kRunning;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    informers.life_ = Life::kOver;
    informers.synced_.notify_all();
    for (const auto& feed : informers.feeds_) {
      feed->progress_.notify_all();
    }
  }

  Informers& informers;
};

rt::Task<void> Informers::run(rt::CancelToken token) {
  return follow_all(std::make_unique<Run>(*this), token);
}

rt::Task<void> Informers::follow_all(std::unique_ptr<Run> /*run*/, rt::CancelToken token) {
  rt::Scope scope(runtime_, "informers", token);
  for (const auto& feed : feeds_) {
    scope.spawn(std::string(feed->selection().kind->plural), follow(feed.get(), scope.token()));
  }
  scope.close();
  co_await scope.drain();
}

rt::Task<rt::Wake> Informers::wait_until_synced(rt::Until until) {
  while (!has_synced()) {
    if (life_ == Life::kOver) {
      co_return rt::Wake::kCancelled;
    }
    const rt::Wake wake = co_await synced_.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return wake;
    }
  }
  co_return rt::Wake::kNotified;
}

rt::Task<rt::Wake> Informers::wait_until_seen(const api::Kind* kind,
                                              std::string resource_version,
                                              rt::Until until) {
  Feed* feed = find_feed(*kind);
  BERTH_ASSERT(feed != nullptr, "only kinds that were added are waited for");
  while (!includes_version(feed->version_, resource_version)) {
    if (life_ == Life::kOver) {
      co_return rt::Wake::kCancelled;
    }
    const rt::Wake wake = co_await feed->progress_.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return wake;
    }
  }
  co_return rt::Wake::kNotified;
}

rt::Task<void> Informers::follow(Feed* feed, rt::CancelToken token) {
  Follower follower{feed, token, Watcher(options_.watcher), nullptr};
  Watcher::Input input = Watcher::Tick{};
  for (std::uint64_t turn = 1; !token.is_cancelled(); ++turn) {
    auto action = follower.watcher.step(input, runtime_.now(), runtime_.random());
    if (auto* page = std::get_if<Watcher::FetchPage>(&action)) {
      input = co_await fetch_page(&follower, std::move(*page));
    } else if (auto* open = std::get_if<Watcher::OpenWatch>(&action)) {
      input = co_await open_watch(&follower, std::move(*open));
    } else if (auto* event = std::get_if<Watcher::AwaitEvent>(&action)) {
      input = co_await await_event(&follower, *event);
    } else if (auto* rest = std::get_if<Watcher::Sleep>(&action)) {
      input = co_await pause(&follower, *rest);
    } else {
      apply(follower, action);
      input = Watcher::Tick{};
    }
    if (turn % kEventsPerTurn == 0) {
      co_await rt::Yield(runtime_);
    }
  }
}

rt::Task<Watcher::Input> Informers::fetch_page(Follower* follower, Watcher::FetchPage asked) {
  follower->stream.reset();
  if (asked.continue_token.empty()) {
    follower->feed->begin_collecting();
  }
  ListRequest request{.of = follower->feed->selection(),
                      .resource_version = std::move(asked.resource_version),
                      .limit = asked.limit,
                      .continue_token = std::move(asked.continue_token)};
  auto page = co_await client_.list(std::move(request),
                                    {.token = follower->token, .deadline = asked.deadline});
  if (!page) {
    co_return failed(*follower, std::move(page).error());
  }
  for (Error& error : follower->feed->collect(page->items)) {
    report_bad_object(*follower->feed, std::move(error));
  }
  co_return Watcher::PageArrived{std::move(page->resource_version),
                                 std::move(page->continue_token)};
}

rt::Task<Watcher::Input> Informers::open_watch(Follower* follower, Watcher::OpenWatch asked) {
  follower->stream.reset();
  if (asked.send_initial_events) {
    follower->feed->begin_collecting();
  }
  WatchRequest request{.of = follower->feed->selection(),
                       .resource_version = std::move(asked.resource_version),
                       .send_initial_events = asked.send_initial_events};
  auto stream = co_await client_.watch(std::move(request),
                                       {.token = follower->token, .deadline = asked.deadline});
  if (!stream) {
    co_return failed(*follower, std::move(stream).error());
  }
  ++follower->feed->counts_.watches_opened;
  follower->stream = *std::move(stream);
  co_return Watcher::WatchOpened{};
}

rt::Task<Watcher::Input> Informers::await_event(Follower* follower, Watcher::AwaitEvent asked) {
  auto event =
      co_await follower->stream->next({.token = follower->token, .deadline = asked.deadline});
  if (!event) {
    co_return failed(*follower, std::move(event).error());
  }
  if (!event->has_value()) {
    co_return Watcher::StreamEnded{};
  }
  auto read = follower->feed->read_event(**event);
  if (read.error) {
    report_bad_object(*follower->feed, *std::move(read.error));
  }
  co_return std::move(read.input);
}

rt::Task<Watcher::Input> Informers::pause(Follower* follower, Watcher::Sleep asked) {
  follower->stream.reset();
  co_await rt::sleep_until(runtime_, asked.until, follower->token);
  co_return Watcher::Tick{};
}

void Informers::apply(Follower& follower, const Watcher::Action& action) {
  Feed& feed = *follower.feed;
  if (std::holds_alternative<Watcher::Collect>(action)) {
    feed.collect_event();
    return;
  }
  feed.applying_ = follower.watcher.resource_version();
  if (std::holds_alternative<Watcher::Swap>(action)) {
    feed.swap();
    ++feed.counts_.swaps;
  } else {
    feed.apply_event();
  }
  // Behind the handlers: who waits for a version sees what they have done.
  feed.version_ = std::move(feed.applying_);
  feed.progress_.notify_all();
  if (has_synced()) {
    synced_.notify_all();
  }
}

Watcher::Failed Informers::failed(Follower& follower, Error error) {
  const Watcher::Failed input{.code = error.code(), .retry_after = retry_after(error)};
  if (!follower.token.is_cancelled()) {
    ++follower.feed->counts_.requests_failed;
    report({Problem::What::kRequestFailed, follower.feed->selection().kind, std::move(error)});
  }
  return input;
}

void Informers::report_bad_object(Feed& feed, Error error) {
  ++feed.counts_.bad_objects;
  report({Problem::What::kBadObject, feed.selection().kind, std::move(error)});
}

void Informers::report(const Problem& problem) {
  if (options_.on_problem) {
    options_.on_problem(problem);
  }
}

}  // namespace berth::kube
