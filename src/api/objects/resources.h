// What a container or a pod asks for.
#pragma once

#include <string>
#include <vector>

#include "api/members.h"

namespace berth::api {

struct ContainerResourceClaim {
  std::string name;
  std::string request;

  static const Table& table();
  bool operator==(const ContainerResourceClaim&) const = default;
};

struct ResourceRequirements {
  ResourceList limits;
  ResourceList requests;
  std::vector<ContainerResourceClaim> claims;

  static const Table& table();
  bool operator==(const ResourceRequirements&) const = default;
};

}  // namespace berth::api
