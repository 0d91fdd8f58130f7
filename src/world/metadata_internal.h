// What must hold of a document's kind, apiVersion and metadata, whoever sent it.
#pragma once

#include <boost/json.hpp>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/result.h"
#include "world/tree_internal.h"  // IWYU pragma: keep (the name json)

namespace berth::world {

// kInvalid if the document says that it is of another kind.
Result<void> check_kind(const json::object& tree, const api::Kind& kind);

// kInvalid for one of the members that is there and is no string; null is the same as absent. What
// is of another type is not a precondition that nobody made. `where` stands in front of its name.
Result<void> check_texts(const json::object& object,
                         std::string_view where,
                         std::initializer_list<std::string_view> members);

// That what identifies an object is text, and the form of labels, annotations, finalizers and owner
// references; `before`, if there is one, is what was accepted already, and of the latter only what
// differs is looked at.
Result<void> check_metadata(const json::object& metadata, const json::object* before);

// In a Go struct null is the same as absent.
void drop_nulls(json::object& object);

std::vector<std::string_view> finalizers_of(const json::object& metadata);

}  // namespace berth::world
