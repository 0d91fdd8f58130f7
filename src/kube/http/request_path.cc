#include "kube/http/request_path.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"

namespace berth::kube::http {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_plain(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

class Query {
 public:
  explicit Query(std::string path) : path_(std::move(path)) {}

  Query& add(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      path_ += fmt::format("{}{}={}", has_any_ ? '&' : '?', name, escaped(value));
      has_any_ = true;
    }
    return *this;
  }
  std::string done() { return std::move(path_); }

 private:
  std::string path_;
  bool has_any_ = false;
};

Query select(const Selection& of) {
  return Query(path_of(*of.kind, of.ns))
      .add("labelSelector", of.label_selector)
      .add("fieldSelector", of.field_selector);
}

}  // namespace

std::string path_of(const api::Kind& kind, std::string_view ns) {
  std::string path = kind.group.empty() ? fmt::format("/api/{}", kind.version)
                                        : fmt::format("/apis/{}/{}", kind.group, kind.version);
  if (kind.scope == api::Scope::kNamespaced && !ns.empty()) {
    path += fmt::format("/namespaces/{}", escaped(ns));
  }
  return path + fmt::format("/{}", kind.plural);
}

Result<std::string> path_of(const api::Kind& kind,
                            const ObjectKey& key,
                            std::string_view subresource) {
  const bool needs_namespace = kind.scope == api::Scope::kNamespaced;
  if (key.name.empty() || key.name == "." || key.name == ".." ||
      key.ns.empty() == needs_namespace) {
    return Error(ErrorCode::kInvalid, fmt::format("'{}' names no {}", key.text(), kind.name));
  }
  std::string path = fmt::format("{}/{}", path_of(kind, key.ns), escaped(key.name));
  if (!subresource.empty()) {
    path += fmt::format("/{}", subresource);
  }
  return path;
}

std::string list_path(const ListRequest& request) {
  Query query = select(request.of);
  if (request.limit > 0) {
    query.add("limit", std::to_string(request.limit));
  }
  query.add("continue", request.continue_token).add("resourceVersion", request.resource_version);
  // Beside a token no version is allowed: that is for the server to say.
  if (!request.resource_version.empty() && request.continue_token.empty()) {
    query.add("resourceVersionMatch", "NotOlderThan");
  }
  return query.done();
}

std::string watch_path(const WatchRequest& request) {
  Query query = select(request.of);
  query.add("watch", "true").add("resourceVersion", request.resource_version);
  if (request.allow_bookmarks) {
    query.add("allowWatchBookmarks", "true");
  }
  if (request.send_initial_events) {
    query.add("sendInitialEvents", "true").add("resourceVersionMatch", "NotOlderThan");
  }
  return query.done();
}

Result<std::string> create_path(const CreateRequest& request) {
  if (!request.subresource.empty()) {
    return path_of(*request.kind, request.key, request.subresource);
  }
  if (request.kind->scope == api::Scope::kNamespaced && request.key.ns.empty()) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("a {} is created in a namespace", request.kind->name));
  }
  if (request.kind->scope == api::Scope::kCluster && !request.key.ns.empty()) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("a {} is created in no namespace", request.kind->name));
  }
  return path_of(*request.kind, request.key.ns);
}

}  // namespace berth::kube::http
