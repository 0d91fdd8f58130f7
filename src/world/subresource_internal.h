// What the bodies of pods/NAME/binding and pods/NAME/eviction have in common.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "api/kind.h"
#include "base/result.h"
#include "kube/object_key.h"
#include "world/tree_internal.h"  // IWYU pragma: keep (the name json)

namespace berth::world {

// kInvalid unless the body is of `kind` and its metadata name the object the request is sent to.
Result<json::object> parse_subresource(std::string_view body,
                                       const api::Kind& kind,
                                       const kube::ObjectKey& key);

}  // namespace berth::world
