#include "api/objects/references.h"

#include "api/table.h"

namespace berth::api {

const Table& ObjectReference::table() {
  using S = ObjectReference;
  static const Table table{
      field("kind", 1, &S::kind),
      field("namespace", 2, &S::ns),
      field("name", 3, &S::name),
      field("uid", 4, &S::uid),
      field("apiVersion", 5, &S::api_version),
      field("resourceVersion", 6, &S::resource_version),
      field("fieldPath", 7, &S::field_path),
  };
  return table;
}

const Table& LocalObjectReference::table() {
  using S = LocalObjectReference;
  static const Table table{
      field("name", 1, &S::name),
  };
  return table;
}

const Table& SecretReference::table() {
  using S = SecretReference;
  static const Table table{
      field("name", 1, &S::name),
      field("namespace", 2, &S::ns),
  };
  return table;
}

const Table& TypedLocalObjectReference::table() {
  using S = TypedLocalObjectReference;
  static const Table table{
      field("apiGroup", 1, &S::api_group),
      field("kind", 2, &S::kind),
      field("name", 3, &S::name),
  };
  return table;
}

const Table& TypedObjectReference::table() {
  using S = TypedObjectReference;
  static const Table table{
      field("apiGroup", 1, &S::api_group),
      field("kind", 2, &S::kind),
      field("name", 3, &S::name),
      field("namespace", 4, &S::ns),
  };
  return table;
}

}  // namespace berth::api
