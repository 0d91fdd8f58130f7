// How objects name one another.
#pragma once

#include <optional>
#include <string>

#include "api/members.h"

namespace berth::api {

struct ObjectReference {
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  std::string api_version;
  std::string resource_version;
  std::string field_path;

  static const Table& table();
  bool operator==(const ObjectReference&) const = default;
};

struct LocalObjectReference {
  std::string name;

  static const Table& table();
  bool operator==(const LocalObjectReference&) const = default;
};

struct SecretReference {
  std::string name;
  std::string ns;

  static const Table& table();
  bool operator==(const SecretReference&) const = default;
};

struct TypedLocalObjectReference {
  std::optional<std::string> api_group;
  std::string kind;
  std::string name;

  static const Table& table();
  bool operator==(const TypedLocalObjectReference&) const = default;
};

struct TypedObjectReference {
  std::optional<std::string> api_group;
  std::string kind;
  std::string name;
  std::optional<std::string> ns;

  static const Table& table();
  bool operator==(const TypedObjectReference&) const = default;
};

}  // namespace berth::api
