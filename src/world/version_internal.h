// One version of one object: the document as a tree, and as text once somebody wants to read it.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>

#include "world/store.h"
#include "world/tree_internal.h"

namespace berth::world {

class Version {
 public:
  // `tree` is complete: kind, apiVersion, metadata with this resourceVersion.
  Version(json::object tree, std::uint64_t resource_version);

  const json::object& tree() const { return tree_; }
  const json::object& metadata() const { return metadata_of(tree_); }
  std::uint64_t resource_version() const { return resource_version_; }
  bool is_deleting() const { return !text_in(metadata(), "deletionTimestamp").empty(); }

  // Written when it is first asked for: many versions are never read as text. Not for several
  // threads at once.
  const std::string& text() const;

 private:
  json::object tree_;
  std::uint64_t resource_version_;
  mutable std::string text_;
};

// The same document with another resourceVersion.
json::object with_resource_version(json::object tree, std::uint64_t resource_version);

}  // namespace berth::world
