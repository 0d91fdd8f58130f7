// All talk with Kubernetes goes through here: a server behind a network, or a simulated one.
//
// Requests and answers are what the wire carries; typed.h turns them into objects. Nothing is
// written back whole: there is create, patch, delete and the subresources, no update.
//
// Errors are codes to decide on (base/error.h). What each call can answer besides kUnauthorized,
// kForbidden, kTooManyRequests, kServerError, kUnavailable, kTimeout and kCancelled, which all can:
//
//   get      kNotFound, kLimit (the answer is larger than we read)
//   list     kGone (the continue token or resourceVersion is too old), kInvalid (a selector,
//            version or token that is none), kLimit as get
//   watch    kGone, at once or as the end of the stream; kInvalid and kLimit as list
//   create   kExists, kInvalid, kConflict (a binding to a pod that is bound, or is another one),
//            kNotFound (of the namespace or the parent), kLimit (the body is larger or deeper than
//            a server takes), kUnknownOutcome
//   patch    kNotFound, kConflict (resourceVersion), kInvalid (also a uid that is another one's),
//            kLimit as create (also of what the patch would make), kUnknownOutcome
//   remove   kNotFound, kConflict (preconditions), kUnknownOutcome
//
// A write that answers kUnknownOutcome was perhaps applied, or still will be: look before doing
// anything else. Every other error of a write means that it was not applied and will not be. So:
//
//  - kTimeout, kCancelled, and kUnavailable without an answer: no byte of it was sent.
//  - A lost connection, a deadline or a cancellation after that: kUnknownOutcome.
//  - An HTTP answer of 4xx: the code it stands for; kInvalid and kLimit only where a Status says
//    so, kUnavailable for a page of a proxy. One of 3xx: kServerError. One of 5xx: kUnknownOutcome,
//    since a timeout within the server or of its store may follow a write that was applied. Except
//    where the answer says that nothing was executed, which is kUnavailable for a 503 with
//    Retry-After (turned away at the door). So kServerError of a write comes only from a cluster
//    within the process, which knows; an eviction that two budgets forbid (500) is one there and
//    kUnknownOutcome over HTTP.
//  - An answer of 2xx that cannot be read: kUnknownOutcome.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "base/result.h"
#include "kube/object_key.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// One object as a server sent it. Protobuf is the bare message, without its envelope.
struct Document {
  enum class Encoding : std::uint8_t { kJson, kProtobuf };

  Encoding encoding = Encoding::kJson;
  std::string bytes;
};

// What objects are meant: a kind, perhaps only one namespace of it, perhaps only some objects.
struct Selection {
  const api::Kind* kind = nullptr;
  std::string ns;              // empty: all namespaces
  std::string label_selector;  // "app=web,tier!=test"
  std::string field_selector;  // "spec.nodeName="
};

struct ListRequest {
  Selection of;
  // Empty: as new as the server can say. Otherwise at least as new as this, also where there is a
  // limit; "0" means whatever the server has at hand, however old. Over HTTP that is
  // resourceVersionMatch=NotOlderThan: a server takes a version with a limit and without it for
  // "exactly this one", and answers kGone when it has forgotten that state. None with a token.
  std::string resource_version;
  std::int64_t limit = 0;  // of a page; 0: all at once
  std::string continue_token;
};

struct ListPage {
  std::string resource_version;  // that of the whole list, the same on each page
  std::string continue_token;    // empty on the last page
  std::vector<Document> items;
};

struct WatchRequest {
  Selection of;
  // Where to go on from. With initial events: how new the beginning must be at least; empty means
  // as new as can be. (Over HTTP resourceVersionMatch=NotOlderThan, which they demand.)
  std::string resource_version;
  bool allow_bookmarks = true;
  // First an ADDED for each object there is, then a bookmark that says so, then changes.
  bool send_initial_events = false;
};

enum class WatchEventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };

struct WatchEvent {
  WatchEventType type = WatchEventType::kBookmark;
  // Of a bookmark only metadata counts: resourceVersion, and the annotation
  // k8s.io/initial-events-end when all initial events have been sent.
  Document object;
};

// A stream of changes. One reader at a time.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  virtual ~Watch() = default;

  // The next event; nothing when the server has ended the stream, which it may at any time. After
  // that, or after an error, the stream is over.
  virtual rt::Task<Result<std::optional<WatchEvent>>> next(rt::Until until) = 0;
};

struct GetRequest {
  const api::Kind* kind = nullptr;
  ObjectKey key;
};

struct CreateRequest {
  const api::Kind* kind = nullptr;
  // The name is that of the parent where there is a subresource, and otherwise in the body.
  ObjectKey key;
  std::string subresource;  // "", "binding", "eviction"
  std::string body;         // JSON
};

enum class PatchType : std::uint8_t { kJson, kMerge, kStrategic };

struct PatchRequest {
  const api::Kind* kind = nullptr;
  ObjectKey key;
  std::string subresource;  // "", "status"
  PatchType type = PatchType::kMerge;
  // JSON. Preconditions stand in it: metadata.uid and metadata.resourceVersion of a merge, "test"
  // operations of a JSON patch.
  std::string body;
};

struct RemoveRequest {
  const api::Kind* kind = nullptr;
  ObjectKey key;
  // Preconditions; empty: none.
  std::string uid;
  std::string resource_version;
  std::optional<std::int64_t> grace_period_seconds;
};

// Calls may run beside each other. A call that is cancelled or late ends with an error; if it was a
// write that had been sent, with kUnknownOutcome.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  virtual rt::Task<Result<Document>> get(GetRequest request, rt::Until until) = 0;
  virtual rt::Task<Result<ListPage>> list(ListRequest request, rt::Until until) = 0;
  virtual rt::Task<Result<std::unique_ptr<Watch>>> watch(WatchRequest request, rt::Until until) = 0;
  // The object as it is then; for a subresource what the server answers, a Status mostly.
  virtual rt::Task<Result<Document>> create(CreateRequest request, rt::Until until) = 0;
  virtual rt::Task<Result<Document>> patch(PatchRequest request, rt::Until until) = 0;
  // Nothing is gone for sure yet: finalizers and graceful deletion come first.
  virtual rt::Task<Result<void>> remove(RemoveRequest request, rt::Until until) = 0;
};

}  // namespace berth::kube
