// Objects as the processes and the judge of the suite `informers` speak of them.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "api/kind.h"
#include "base/hash_map.h"
#include "kube/object_key.h"

namespace berth::sim::informers {

// An object of any kind.
struct Subject {
  const api::Kind* kind = nullptr;
  kube::ObjectKey key;

  auto operator<=>(const Subject& other) const {
    return std::tie(kind->name, key) <=> std::tie(other.kind->name, other.key);
  }
  bool operator==(const Subject& other) const { return (*this <=> other) == 0; }
  std::string text() const { return std::string(kind->name) + " " + key.text(); }
};

inline std::size_t hash_value(const Subject& subject) {
  std::size_t hash = TextHash{}(subject.kind->name);
  boost::hash_combine(hash, TextHash{}(subject.key.ns));
  boost::hash_combine(hash, TextHash{}(subject.key.name));
  return hash;
}

// What a process holds of an object: which one and how new. No version: it is not there.
struct Seen {
  std::string uid;
  std::uint64_t version = 0;

  bool operator==(const Seen&) const = default;
};
using State = std::map<Subject, Seen>;

std::uint64_t number_of(std::string_view resource_version);

}  // namespace berth::sim::informers
