#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "world/store.h"
#include "world/tree_internal.h"
#include "world/version_internal.h"

namespace berth::world {

Version::Version(json::object tree, std::uint64_t resource_version)
    : tree_(std::move(tree)), resource_version_(resource_version) {}

const std::string& Version::text() const {
  if (text_.empty()) {
    text_ = json::serialize(tree_);
  }
  return text_;
}

json::object with_resource_version(json::object tree, std::uint64_t resource_version) {
  object_in(tree, "metadata")["resourceVersion"] = std::to_string(resource_version);
  return tree;
}

const std::string& text_of(const Version& version) {
  return version.text();
}

}  // namespace berth::world
