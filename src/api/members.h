// The types a member of an API object can have, besides bool, integers, std::string, std::optional,
// std::vector and structs that have a table of their own.
#pragma once

#include <boost/container/flat_map.hpp>
#include <functional>
#include <string>

#include "api/box.h"            // IWYU pragma: export
#include "api/int_or_string.h"  // IWYU pragma: export
#include "api/quantity.h"       // IWYU pragma: export
#include "api/time.h"           // IWYU pragma: export

namespace berth::api {

class Table;

// Kubernetes maps have string keys. Sorted by key, so that iteration is deterministic.
template <typename Value>
using Map = boost::container::flat_map<std::string, Value, std::less<>>;
using StringMap = Map<std::string>;
using ResourceList = Map<Quantity>;

// An element of a list of booleans (std::vector<bool> has no elements to point at).
struct Bool {
  bool value = false;

  bool operator==(const Bool&) const = default;
};

// Binary data: base64 in JSON, plain bytes in protobuf.
struct Bytes {
  std::string data;

  bool operator==(const Bytes&) const = default;
};

// A subtree that is passed on byte for byte without being understood: JSON text as it was read.
// Empty means absent. In protobuf it travels as Kubernetes' RawExtension and FieldsV1 do, a message
// whose field 1 holds the same text. The JSON reader refuses what is not one valid JSON value; the
// protobuf reader does not look, since API servers let only JSON in, and the JSON writer does.
struct RawJson {
  std::string text;

  bool operator==(const RawJson&) const = default;
};

// A whole object inside another message, in the encoding of that message: JSON text, or in protobuf
// the enveloped bytes. Write it only in the encoding it was read from.
struct Embedded {
  std::string data;

  bool operator==(const Embedded&) const = default;
};

}  // namespace berth::api
