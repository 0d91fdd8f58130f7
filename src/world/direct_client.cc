#include "world/direct_client.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/direct_watch_internal.h"
#include "world/store.h"
#include "world/watch_cursor_internal.h"

namespace berth::world {
namespace {

Result<kube::Document> document(Result<std::string> text) {
  if (!text) {
    return std::move(text).error();
  }
  return kube::Document{.encoding = kube::Document::Encoding::kJson, .bytes = *std::move(text)};
}

// How new an answer must be at least; 0 for one that says nothing.
Result<std::uint64_t> wanted_version(const std::string& text, const Store& store) {
  BERTH_TRY(const std::uint64_t version, parse_version(text));
  if (version > store.resource_version()) {
    return Error(ErrorCode::kTimeout, "the resourceVersion is newer than the server");
  }
  return version;
}

// From where the stream goes on; with objects at its beginning, those there are now.
Result<WatchCursor> cursor_for(const kube::WatchRequest& request, const Store& store) {
  BERTH_TRY(const std::uint64_t from, parse_version(request.resource_version));
  if (!begins_with_objects(request, from)) {
    return WatchCursor::begin(store, request, from, from);
  }
  BERTH_TRY(const std::uint64_t least, wanted_version(request.resource_version, store));
  return WatchCursor::begin(store, request, least, store.resource_version());
}

}  // namespace

rt::Task<Result<void>> DirectClient::turn(rt::Until until) {
  co_await rt::Yield(runtime_);
  if (until.token.is_cancelled()) {
    co_return Error(ErrorCode::kCancelled, "nobody waits for the answer");
  }
  if (runtime_.now() >= until.deadline) {
    co_return Error(ErrorCode::kTimeout, "the deadline has passed");
  }
  co_return Result<void>();
}

rt::Task<Result<kube::Document>> DirectClient::get(kube::GetRequest request, rt::Until until) {
  if (auto turned = co_await turn(until); !turned) {
    co_return std::move(turned).error();
  }
  co_return document(store_.get(request, store_.resource_version()));
}

rt::Task<Result<kube::ListPage>> DirectClient::list(kube::ListRequest request, rt::Until until) {
  if (auto turned = co_await turn(until); !turned) {
    co_return std::move(turned).error();
  }
  if (auto wanted = wanted_version(request.resource_version, store_); !wanted) {
    co_return std::move(wanted).error();
  }
  co_return store_.list(request, store_.resource_version());
}

rt::Task<Result<std::unique_ptr<kube::Watch>>> DirectClient::watch(kube::WatchRequest request,
                                                                   rt::Until until) {
  if (auto turned = co_await turn(until); !turned) {
    co_return std::move(turned).error();
  }
  auto cursor = cursor_for(request, store_);
  if (!cursor) {
    co_return std::move(cursor).error();
  }
  co_return std::unique_ptr<kube::Watch>(
      std::make_unique<DirectWatch>(store_, runtime_, *std::move(cursor), request.allow_bookmarks));
}

rt::Task<Result<kube::Document>> DirectClient::create(kube::CreateRequest request,
                                                      rt::Until until) {
  if (auto turned = co_await turn(until); !turned) {
    co_return std::move(turned).error();
  }
  co_return document(store_.create(request));
}

rt::Task<Result<kube::Document>> DirectClient::patch(kube::PatchRequest request, rt::Until until) {
  if (auto turned = co_await turn(until); !turned) {
    co_return std::move(turned).error();
  }
  co_return document(store_.patch(request));
}

rt::Task<Result<void>> DirectClient::remove(kube::RemoveRequest request, rt::Until until) {
  if (auto turned = co_await turn(until); !turned) {
    co_return std::move(turned).error();
  }
  co_return store_.remove(request);
}

}  // namespace berth::world
