// Configuration data.
#pragma once

#include <optional>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {

struct ConfigMap {
  ObjectMeta metadata;
  std::optional<bool> immutable;
  StringMap data;
  Map<Bytes> binary_data;

  static constexpr Kind kKind{"", "v1", "ConfigMap", "configmaps", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const ConfigMap&) const = default;
};

}  // namespace berth::api
