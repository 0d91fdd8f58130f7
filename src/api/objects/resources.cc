#include "api/objects/resources.h"

#include "api/table.h"

namespace berth::api {

const Table& ContainerResourceClaim::table() {
  using S = ContainerResourceClaim;
  static const Table table{
      field("name", 1, &S::name),
      field("request", 2, &S::request),
  };
  return table;
}

const Table& ResourceRequirements::table() {
  using S = ResourceRequirements;
  static const Table table{
      field("limits", 1, &S::limits),
      field("requests", 2, &S::requests),
      field("claims", 3, &S::claims),
  };
  return table;
}

}  // namespace berth::api
