// What an object is called: its group, version, kind and the resource that serves it.
//
// Every top-level struct carries its Kind as `kKind`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::api {

enum class Scope : std::uint8_t { kNamespaced, kCluster };
// Built-in kinds travel as protobuf or JSON, custom resources as JSON only.
enum class Wire : std::uint8_t { kProtobufAndJson, kJsonOnly };

struct Kind {
  std::string_view group;  // empty for the core group
  std::string_view version;
  std::string_view name;
  std::string_view plural;
  Scope scope;
  Wire wire = Wire::kProtobufAndJson;

  // "v1", "storage.k8s.io/v1"
  std::string api_version() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }
  bool operator==(const Kind&) const = default;
};

}  // namespace berth::api
