// Which object of a kind.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <compare>  // IWYU pragma: keep (the defaulted <=>)
#include <cstddef>
#include <string>

#include "base/hash_map.h"

namespace berth::kube {

struct ObjectKey {
  std::string ns;  // empty for kinds that live in no namespace
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
  // "default/web-0", or "node-1" without a namespace.
  std::string text() const { return ns.empty() ? name : ns + "/" + name; }
};

inline std::size_t hash_value(const ObjectKey& key) {
  std::size_t hash = TextHash{}(key.ns);
  boost::hash_combine(hash, TextHash{}(key.name));
  return hash;
}

}  // namespace berth::kube
