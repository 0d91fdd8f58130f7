// What happened to one object of a store.
#pragma once

#include <cstdint>
#include <memory>

namespace berth::kube {

enum class ChangeType : std::uint8_t { kAdded, kUpdated, kDeleted };

// `before` is empty for kAdded, `after` for kDeleted. An update is always one of the same object:
// where a name was given to another one (the uid differs), a deletion and an addition are told.
template <typename Object>
struct Change {
  ChangeType type = ChangeType::kAdded;
  std::shared_ptr<const Object> before;
  std::shared_ptr<const Object> after;
};

}  // namespace berth::kube
