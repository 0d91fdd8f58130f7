// Who leads, until when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {

struct LeaseSpec {
  std::optional<std::string> holder_identity;
  std::optional<std::int32_t> lease_duration_seconds;
  std::optional<MicroTime> acquire_time;
  std::optional<MicroTime> renew_time;
  std::optional<std::int32_t> lease_transitions;
  std::optional<std::string> strategy;
  std::optional<std::string> preferred_holder;

  static const Table& table();
  bool operator==(const LeaseSpec&) const = default;
};

struct Lease {
  ObjectMeta metadata;
  LeaseSpec spec;

  static constexpr Kind kKind{"coordination.k8s.io", "v1", "Lease", "leases", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const Lease&) const = default;
};

}  // namespace berth::api
