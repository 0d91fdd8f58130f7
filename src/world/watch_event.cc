// What a watch shows of a change.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "api/kind.h"
#include "kube/client.h"
#include "world/kind_rules.h"
#include "world/selector_internal.h"
#include "world/store.h"
#include "world/version_internal.h"

namespace berth::world {
namespace {

kube::WatchEvent event(kube::WatchEventType type, std::string text) {
  return {.type = type,
          .object = {.encoding = kube::Document::Encoding::kJson, .bytes = std::move(text)}};
}

}  // namespace

std::optional<kube::WatchEvent> event_of(const Change& change, const Selector& selector) {
  if (!selector.rules().is(*change.kind)) {
    return std::nullopt;
  }
  const bool matched = change.before != nullptr && selector.matches(change.key, *change.before);
  const bool matches =
      change.type != ChangeType::kDeleted && selector.matches(change.key, *change.after);
  if (matches) {
    return event(matched ? kube::WatchEventType::kModified : kube::WatchEventType::kAdded,
                 change.after->text());
  }
  if (!matched) {
    return std::nullopt;
  }
  if (change.type == ChangeType::kDeleted) {
    return event(kube::WatchEventType::kDeleted, change.after->text());
  }
  // It still exists, so whoever watches is shown the last state that was theirs to see, at the
  // resourceVersion from which on it is not.
  return event(
      kube::WatchEventType::kDeleted,
      json::serialize(with_resource_version(change.before->tree(), change.resource_version)));
}

kube::WatchEvent bookmark_event(const api::Kind& kind,
                                std::uint64_t resource_version,
                                bool ends_initial_events) {
  const char* annotations =
      ends_initial_events ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  return event(
      kube::WatchEventType::kBookmark,
      fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{{"resourceVersion":"{}"{}}}}})",
                  kind.name,
                  kind.api_version(),
                  resource_version,
                  annotations));
}

}  // namespace berth::world
