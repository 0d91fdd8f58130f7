// Resources in the form in which nodes keep account of them: 64-bit integers.
//
// Quantities are rounded up: cpu to thousandths, everything else to units (bytes, devices); what is
// beyond 64 bits becomes the end of the range. Sums and differences that leave the range are
// refused, so that taking a pod off a node undoes exactly what putting it there did.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/members.h"

namespace berth::api {

struct ResourceAmounts {
  std::int64_t milli_cpu = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t ephemeral_storage_bytes = 0;
  std::int64_t pods = 0;  // of a node: how many it takes
  // Extended resources, huge pages and the like, by name (see is_scalar_resource). Never zero.
  Map<std::int64_t> scalars;

  // Resources that are none of these (an unknown name without a domain) are left out.
  static ResourceAmounts of(const ResourceList& resources);

  // False, and nothing has changed, if one of the results does not fit into 64 bits.
  [[nodiscard]] bool add(const ResourceAmounts& other);
  [[nodiscard]] bool subtract(const ResourceAmounts& other);

  bool operator==(const ResourceAmounts&) const = default;
};

// Whether the resource is counted under its own name: "example.com/gpu", "hugepages-2Mi",
// "attachable-volumes-aws-ebs", or anything of the domain kubernetes.io.
bool is_scalar_resource(std::string_view name);

}  // namespace berth::api
