// The three patches, applied to a document in place. On an error the document is half changed:
// apply them to a copy.
#pragma once

#include <boost/json.hpp>

#include "api/type.h"
#include "base/result.h"
#include "world/tree_internal.h"  // IWYU pragma: keep (the name json)

namespace berth::world {

// RFC 6902. kInvalid for a path that leads nowhere and for a test that fails; kLimit for what would
// make the document too deep or, by copies of copies, too large.
Result<void> apply_json_patch(json::object& document, const json::value& patch);

// RFC 7386; the patch must be an object.
Result<void> apply_merge_patch(json::object& document, json::value patch);

// Kubernetes' own, driven by the merge rules in the tables; `type` is the document's. What no table
// describes merges as RFC 7386 has it.
Result<void> apply_strategic_merge(json::object& document,
                                   json::value patch,
                                   const api::Type& type);

}  // namespace berth::world
