#include <boost/json.hpp>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/object_key.h"
#include "world/metadata_internal.h"
#include "world/subresource_internal.h"
#include "world/tree_internal.h"

namespace berth::world {

Result<json::object> parse_subresource(std::string_view body,
                                       const api::Kind& kind,
                                       const kube::ObjectKey& key) {
  BERTH_TRY(json::object tree, parse_object(body));
  if (auto same = check_kind(tree, kind); !same) {
    return std::move(same).error();
  }
  const json::object* metadata = find_object(tree, "metadata");
  if (metadata == nullptr || text_in(*metadata, "name") != key.name) {
    return Error(ErrorCode::kInvalid, "metadata.name: is not that of the request");
  }
  const std::string_view ns = text_in(*metadata, "namespace");
  if (!ns.empty() && ns != key.ns) {
    return Error(ErrorCode::kInvalid, "metadata.namespace: is not that of the request");
  }
  if (auto valid = check_metadata(*metadata, nullptr); !valid) {
    return std::move(valid).error();
  }
  return tree;
}

}  // namespace berth::world
