#include "volumes_changes.h"

#include <string_view>
#include <utility>

#include "difference.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

const json::object& object_at(const json::object& object, std::string_view field) {
  static const json::object kEmpty;
  const json::value* const value = object.if_contains(field);
  return value == nullptr || !value->is_object() ? kEmpty : value->get_object();
}

json::object changed_annotations(const json::object& before, const json::object& after) {
  json::object changed;
  for (const auto& entry : after) {
    const json::value* const old = before.if_contains(entry.key());
    if (old == nullptr || *old != entry.value()) {
      changed[entry.key()] = entry.value();
    }
  }
  for (const auto& entry : before) {
    if (!after.contains(entry.key())) {
      changed[entry.key()] = nullptr;
    }
  }
  return changed;
}

// The object without what is compared by itself, and without its version.
json::object rest_of(json::object object) {
  if (json::value* metadata = object.if_contains("metadata")) {
    metadata->as_object().erase("annotations");
    metadata->as_object().erase("resourceVersion");
  }
  if (json::value* spec = object.if_contains("spec")) {
    spec->as_object().erase("claimRef");
  }
  return object;
}

}  // namespace

json::object changes_between(const json::object& before, const json::object& after) {
  json::object changes;
  const json::value* const old_reference = object_at(before, "spec").if_contains("claimRef");
  const json::value* const reference = object_at(after, "spec").if_contains("claimRef");
  if (reference != nullptr && (old_reference == nullptr || *old_reference != *reference)) {
    changes["claimRef"] = *reference;
  } else if (reference == nullptr && old_reference != nullptr) {
    changes["claimRef"] = nullptr;
  }
  json::object annotations =
      changed_annotations(object_at(object_at(before, "metadata"), "annotations"),
                          object_at(object_at(after, "metadata"), "annotations"));
  if (!annotations.empty()) {
    changes["annotations"] = std::move(annotations);
  }
  for (const Difference& other : compare(rest_of(before), rest_of(after))) {
    changes[other.path] = other.got;
  }
  return changes;
}

}  // namespace berth::vector_check
