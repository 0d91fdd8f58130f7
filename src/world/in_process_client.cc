#include "world/in_process_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/kind.h"
#include "api/objects/core_event.h"
#include "api/objects/events_event.h"
#include "api/objects/lease.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/in_process_watch_internal.h"
#include "world/store.h"
#include "world/watch_cursor_internal.h"

namespace berth::world {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// So long a server waits for a version it does not know yet, as kube-apiserver does.
constexpr rt::Duration kFreshWait = seconds(3);

Error ended(rt::Wake wake) {
  return wake == rt::Wake::kCancelled ? Error(ErrorCode::kCancelled, "no longer wanted")
                                      : Error(ErrorCode::kTimeout, "the deadline has passed");
}

bool is_event(const api::Kind& kind) {
  return kind == api::Event::kKind || kind == api::events::Event::kKind;
}

WriteKind kind_of(const kube::CreateRequest& request) {
  if (*request.kind == api::Lease::kKind) {
    return WriteKind::kLeaseCreate;
  }
  if (is_event(*request.kind)) {
    return WriteKind::kEventCreate;
  }
  return request.subresource == "binding"    ? WriteKind::kBinding
         : request.subresource == "eviction" ? WriteKind::kEviction
                                             : WriteKind::kCreate;
}

WriteKind kind_of(const kube::PatchRequest& request) {
  if (*request.kind == api::Lease::kKind) {
    return WriteKind::kLeasePatch;
  }
  if (is_event(*request.kind)) {
    return WriteKind::kEventPatch;
  }
  return request.subresource.empty() ? WriteKind::kPatch : WriteKind::kStatus;
}

}  // namespace

InProcessClient::InProcessClient(Cluster& cluster,
                                 rt::Runtime& process,
                                 std::string name,
                                 std::function<void()> crash)
    : cluster_(cluster),
      process_(process),
      name_(std::move(name)),
      crash_(std::move(crash)),
      never_(process, "its crash") {}

InProcessClient::~InProcessClient() = default;

ApiServer& InProcessClient::pick_server() {
  if (cluster_.faults().hits(Fault::kOtherServer)) {
    server_ = (server_ + 1) % Cluster::kServers;
  }
  return cluster_.server(server_);
}

rt::Task<Result<void>> InProcessClient::travel(rt::Until until) {
  Faults& faults = cluster_.faults();
  const rt::Duration way = faults.hits(Fault::kLatency)
                               ? faults.random().between(milliseconds(50), seconds(8))
                               : faults.random().between(microseconds(100), milliseconds(5));
  const rt::Time arrival = process_.now() + way;
  const rt::Wake wake =
      co_await rt::sleep_until(process_, std::min(arrival, until.deadline), until.token);
  if (wake == rt::Wake::kCancelled || until.deadline < arrival) {
    co_return ended(wake);
  }
  co_return Result<void>();
}

rt::Task<Result<void>> InProcessClient::reach_server(rt::Until until) {
  auto arrived = co_await travel(until);
  if (!arrived) {
    co_return arrived;
  }
  Faults& faults = cluster_.faults();
  if (faults.hits(Fault::kTooManyRequests)) {
    co_return Error(ErrorCode::kTooManyRequests, "the server is busy")
        .with_retry_after(seconds(faults.random().between(1, 3)));
  }
  if (faults.hits(Fault::kServerError)) {
    co_return Error(ErrorCode::kServerError, "the server failed");
  }
  co_return Result<void>();
}

rt::Task<Result<kube::Document>> InProcessClient::get(kube::GetRequest request, rt::Until until) {
  auto arrived = co_await reach_server(until);
  if (!arrived) {
    co_return std::move(arrived).error();
  }
  // Always the newest: servers ask the store itself.
  auto object = cluster_.store().get(request, cluster_.store().resource_version());
  auto back = co_await travel(until);
  if (!back) {
    co_return std::move(back).error();
  }
  if (!object) {
    co_return std::move(object).error();
  }
  co_return kube::Document{.bytes = *std::move(object)};
}

rt::Task<Result<std::uint64_t>> InProcessClient::version_for(ApiServer* server,
                                                             std::string wanted,
                                                             rt::Until until) {
  if (wanted.empty()) {
    co_return cluster_.store().resource_version();
  }
  const auto least = parse_version(wanted);
  if (!least) {
    co_return least;
  }
  const rt::Time patience = process_.now() + kFreshWait;
  while (server->view() < *least) {
    if (process_.now() >= patience) {
      co_return Error(ErrorCode::kTimeout, "Too large resource version")
          .with_retry_after(seconds(1));
    }
    const rt::Wake wake =
        co_await rt::Wait(process_,
                          &server->moved(),
                          "a server to catch up",
                          {.token = until.token, .deadline = std::min(patience, until.deadline)});
    if (wake == rt::Wake::kCancelled || process_.now() >= until.deadline) {
      co_return ended(wake);
    }
  }
  const std::uint64_t oldest = std::max(*least, cluster_.store().compacted());
  Faults& faults = cluster_.faults();
  if (oldest < server->view() && faults.hits(Fault::kStaleList)) {
    co_return oldest + faults.random().below(server->view() - oldest);
  }
  co_return server->view();
}

rt::Task<Result<kube::ListPage>> InProcessClient::list(kube::ListRequest request, rt::Until until) {
  ApiServer& server = pick_server();
  auto arrived = co_await reach_server(until);
  if (!arrived) {
    co_return std::move(arrived).error();
  }
  auto version = co_await version_for(&server, request.resource_version, until);
  if (!version) {
    co_return std::move(version).error();
  }
  auto page = cluster_.store().list(request, *version);
  auto back = co_await travel(until);
  if (!back) {
    co_return std::move(back).error();
  }
  cluster_.simulation().note(
      name_,
      fmt::format("lists {} {}{}",
                  request.of.kind->plural,
                  page ? "at " : "",
                  page ? page->resource_version : std::string(name_of(page.error().code()))));
  co_return page;
}

rt::Task<Result<std::unique_ptr<kube::Watch>>> InProcessClient::watch(kube::WatchRequest request,
                                                                      rt::Until until) {
  ApiServer& server = pick_server();
  auto arrived = co_await reach_server(until);
  if (!arrived) {
    co_return std::move(arrived).error();
  }
  const auto from = parse_version(request.resource_version);
  if (!from) {
    co_return Error(from.error());
  }
  std::uint64_t position = *from;
  if (begins_with_objects(request, *from)) {
    auto version = co_await version_for(&server, request.resource_version, until);
    if (!version) {
      co_return std::move(version).error();
    }
    position = *version;
  }
  auto cursor = WatchCursor::begin(cluster_.store(), request, *from, position);
  if (!cursor) {
    co_return std::move(cursor).error();
  }
  auto watch = std::make_unique<InProcessWatch>(
      cluster_,
      server,
      process_,
      *std::move(cursor),
      InProcessWatch::Options{.reader = name_, .allow_bookmarks = request.allow_bookmarks});
  auto back = co_await travel(until);
  if (!back) {
    co_return std::move(back).error();
  }
  cluster_.simulation().note(name_,
                             fmt::format("watches {} from {}", request.of.kind->plural, position));
  co_return std::unique_ptr<kube::Watch>(std::move(watch));
}

rt::Task<void> InProcessClient::crash(WriteKind kind, Phase phase) {
  cluster_.faults().count(Fault::kCrash, kind, phase);
  cluster_.simulation().note(name_, "crashes");
  crash_();
  while (true) {
    co_await never_.wait({});
  }
}

rt::Task<Result<kube::Document>> InProcessClient::write(Write write, rt::Until until) {
  if (until.token.is_cancelled()) {
    co_return ended(rt::Wake::kCancelled);
  }
  if (process_.now() >= until.deadline) {
    co_return ended(rt::Wake::kDeadline);
  }
  const WriteKind kind = write.kind;
  const std::optional<Phase> crash_in = crash_ ? cluster_.faults().draw_crash(kind) : std::nullopt;
  if (crash_in == Phase::kBefore) {
    co_await crash(kind, Phase::kBefore);
  }
  write.sender = name_;
  write.is_tried = static_cast<bool>(crash_);
  write.is_left_behind = crash_in == Phase::kDuring;
  write.sent = process_.now();
  const auto answer = cluster_.send(std::move(write), process_);
  if (crash_in == Phase::kDuring) {
    co_await crash(kind, Phase::kDuring);
  }
  const rt::Wake wake = co_await answer->arrived.wait(until);
  if (crash_in == Phase::kAfter) {
    // Without an answer the write is still under way.
    co_await crash(kind, wake == rt::Wake::kNotified ? Phase::kAfter : Phase::kDuring);
  }
  if (wake != rt::Wake::kNotified) {
    co_return Error(ErrorCode::kUnknownOutcome, "given up before the answer came");
  }
  if (!*answer->outcome) {
    co_return std::move(*answer->outcome).error();
  }
  co_return kube::Document{.bytes = **std::move(answer->outcome)};
}

rt::Task<Result<kube::Document>> InProcessClient::create(kube::CreateRequest request,
                                                         rt::Until until) {
  const WriteKind kind = kind_of(request);
  return write({.kind = kind, .request = std::move(request)}, until);
}

rt::Task<Result<kube::Document>> InProcessClient::patch(kube::PatchRequest request,
                                                        rt::Until until) {
  const WriteKind kind = kind_of(request);
  return write({.kind = kind, .request = std::move(request)}, until);
}

rt::Task<Result<void>> InProcessClient::remove(kube::RemoveRequest request, rt::Until until) {
  auto removed = co_await write({.kind = WriteKind::kRemove, .request = std::move(request)}, until);
  if (!removed) {
    co_return std::move(removed).error();
  }
  co_return Result<void>();
}

}  // namespace berth::world
