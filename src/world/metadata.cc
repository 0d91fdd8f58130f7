#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/rules/label_syntax.h"
#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"
#include "world/metadata_internal.h"
#include "world/tree_internal.h"

namespace berth::world {
namespace {

// Keys and values of all annotations together, as in a kube-apiserver.
constexpr std::size_t kAnnotationsLenMax = std::size_t{256} << 10;

Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

Result<void> check_labels(const json::value& labels) {
  if (!labels.is_object()) {
    return invalid("metadata.labels: must be a map of strings");
  }
  for (const auto& label : labels.get_object()) {
    const std::string_view key = view_of(label.key());
    if (!label.value().is_string()) {
      return invalid(fmt::format("metadata.labels: {}: must be a string", api::quoted(key)));
    }
    const std::string_view value = view_of(label.value().get_string());
    std::string faults = api::label_key_faults(key);
    if (faults.empty()) {
      faults = api::label_value_faults(value);
    }
    if (!faults.empty()) {
      return invalid(fmt::format("metadata.labels: {}: {}", api::quoted(key), faults));
    }
  }
  return {};
}

Result<void> check_annotations(const json::value& annotations) {
  if (!annotations.is_object()) {
    return invalid("metadata.annotations: must be a map of strings");
  }
  std::size_t size = 0;
  for (const auto& annotation : annotations.get_object()) {
    const std::string_view key = view_of(annotation.key());
    if (!annotation.value().is_string()) {
      return invalid(fmt::format("metadata.annotations: {}: must be a string", api::quoted(key)));
    }
    std::string lower(key);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char byte) {
      return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    });
    if (const std::string faults = api::label_key_faults(lower); !faults.empty()) {
      return invalid(fmt::format("metadata.annotations: {}: {}", api::quoted(key), faults));
    }
    size += key.size() + annotation.value().get_string().size();
  }
  if (size > kAnnotationsLenMax) {
    return invalid("metadata.annotations: may have at most 262144 bytes");
  }
  return {};
}

Result<void> check_finalizers(const json::value& finalizers) {
  if (!finalizers.is_array()) {
    return invalid("metadata.finalizers: must be a list of strings");
  }
  for (const json::value& finalizer : finalizers.get_array()) {
    if (!finalizer.is_string()) {
      return invalid("metadata.finalizers: must be a list of strings");
    }
    const std::string_view name = view_of(finalizer.get_string());
    if (const std::string faults = api::label_key_faults(name); !faults.empty()) {
      return invalid(fmt::format("metadata.finalizers: {}: {}", api::quoted(name), faults));
    }
  }
  return {};
}

Result<void> check_owner_references(const json::value& references) {
  constexpr std::array<std::string_view, 4> kRequired = {"apiVersion", "kind", "name", "uid"};
  if (!references.is_array()) {
    return invalid("metadata.ownerReferences: must be a list of references");
  }
  for (const json::value& reference : references.get_array()) {
    if (!reference.is_object()) {
      return invalid("metadata.ownerReferences: must be a list of references");
    }
    for (const std::string_view field : kRequired) {
      if (text_in(reference.get_object(), field).empty()) {
        return invalid(fmt::format("metadata.ownerReferences: {}: must not be empty", field));
      }
    }
  }
  return {};
}

struct Checked {
  std::string_view member;
  Result<void> (*check)(const json::value&);
};

constexpr std::array kChecked = {
    Checked{"labels", &check_labels},
    Checked{"annotations", &check_annotations},
    Checked{"finalizers", &check_finalizers},
    Checked{"ownerReferences", &check_owner_references},
};

}  // namespace

Result<void> check_kind(const json::object& tree, const api::Kind& kind) {
  const auto says = [&](std::string_view member, std::string_view expected) {
    const json::value* value = tree.if_contains(member);
    return value == nullptr || (value->is_string() && view_of(value->get_string()) == expected);
  };
  const std::string api_version = kind.api_version();
  if (says("kind", kind.name) && says("apiVersion", api_version)) {
    return {};
  }
  return invalid(fmt::format("the body is not of kind {} of {}", kind.name, api_version));
}

Result<void> check_texts(const json::object& object,
                         std::string_view where,
                         std::initializer_list<std::string_view> members) {
  for (const std::string_view member : members) {
    const json::value* value = object.if_contains(member);
    if (value != nullptr && !value->is_string() && !value->is_null()) {
      return invalid(fmt::format("{}.{}: must be a string", where, member));
    }
  }
  return {};
}

Result<void> check_metadata(const json::object& metadata, const json::object* before) {
  if (auto valid = check_texts(
          metadata, "metadata", {"name", "generateName", "namespace", "uid", "resourceVersion"});
      !valid) {
    return valid;
  }
  for (const Checked& checked : kChecked) {
    const json::value* value = metadata.if_contains(checked.member);
    if (value == nullptr) {
      continue;
    }
    const json::value* old = before != nullptr ? before->if_contains(checked.member) : nullptr;
    if (old != nullptr && *old == *value) {
      continue;
    }
    if (auto valid = checked.check(*value); !valid) {
      return valid;
    }
  }
  return {};
}

void drop_nulls(json::object& object) {
  for (auto member = object.begin(); member != object.end();) {
    member = member->value().is_null() ? object.erase(member) : member + 1;
  }
}

std::vector<std::string_view> finalizers_of(const json::object& metadata) {
  std::vector<std::string_view> names;
  if (const json::array* finalizers = find_array(metadata, "finalizers")) {
    for (const json::value& finalizer : *finalizers) {
      names.push_back(view_of(finalizer.get_string()));
    }
  }
  return names;
}

}  // namespace berth::world
