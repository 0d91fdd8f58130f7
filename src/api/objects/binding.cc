#include "api/objects/binding.h"

#include "api/table.h"

namespace berth::api {

const Table& Binding::table() {
  using S = Binding;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("target", 2, &S::target),
  };
  return table;
}

}  // namespace berth::api
