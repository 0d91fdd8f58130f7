#include "api/objects/access_review.h"

#include "api/table.h"

namespace berth::api {

const Table& ResourceAttributes::table() {
  using S = ResourceAttributes;
  static const Table table{
      field("namespace", 1, &S::ns),
      field("verb", 2, &S::verb),
      field("group", 3, &S::group),
      field("version", 4, &S::version),
      field("resource", 5, &S::resource),
      field("subresource", 6, &S::subresource),
      field("name", 7, &S::name),
  };
  return table;
}

const Table& NonResourceAttributes::table() {
  using S = NonResourceAttributes;
  static const Table table{
      field("path", 1, &S::path),
      field("verb", 2, &S::verb),
  };
  return table;
}

const Table& SelfSubjectAccessReviewSpec::table() {
  using S = SelfSubjectAccessReviewSpec;
  static const Table table{
      field("resourceAttributes", 1, &S::resource_attributes),
      field("nonResourceAttributes", 2, &S::non_resource_attributes),
  };
  return table;
}

const Table& SubjectAccessReviewStatus::table() {
  using S = SubjectAccessReviewStatus;
  static const Table table{
      field("allowed", 1, &S::allowed),
      field("denied", 4, &S::denied),
      field("reason", 2, &S::reason),
      field("evaluationError", 3, &S::evaluation_error),
  };
  return table;
}

const Table& SelfSubjectAccessReview::table() {
  using S = SelfSubjectAccessReview;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

}  // namespace berth::api
