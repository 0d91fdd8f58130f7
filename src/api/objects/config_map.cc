#include "api/objects/config_map.h"

#include "api/table.h"

namespace berth::api {

const Table& ConfigMap::table() {
  using S = ConfigMap;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("immutable", 4, &S::immutable),
      field("data", 2, &S::data),
      field("binaryData", 3, &S::binary_data),
  };
  return table;
}

}  // namespace berth::api
