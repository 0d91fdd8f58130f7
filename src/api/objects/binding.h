// The request that puts a pod onto a node.
#pragma once

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"
#include "api/objects/references.h"

namespace berth::api {

struct Binding {
  ObjectMeta metadata;
  ObjectReference target;

  static constexpr Kind kKind{"", "v1", "Binding", "bindings", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const Binding&) const = default;
};

}  // namespace berth::api
