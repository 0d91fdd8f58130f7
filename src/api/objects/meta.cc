#include "api/objects/meta.h"

#include "api/table.h"

namespace berth::api {

const Table& OwnerReference::table() {
  using S = OwnerReference;
  static const Table table{
      field("apiVersion", 5, &S::api_version),
      field("kind", 1, &S::kind),
      field("name", 3, &S::name),
      field("uid", 4, &S::uid),
      field("controller", 6, &S::controller),
      field("blockOwnerDeletion", 7, &S::block_owner_deletion),
  };
  return table;
}

const Table& ManagedFieldsEntry::table() {
  using S = ManagedFieldsEntry;
  static const Table table{
      field("manager", 1, &S::manager),
      field("operation", 2, &S::operation),
      field("apiVersion", 3, &S::api_version),
      field("time", 4, &S::time),
      field("fieldsType", 6, &S::fields_type),
      field("fieldsV1", 7, &S::fields_v1),
      field("subresource", 8, &S::subresource),
  };
  return table;
}

const Table& ObjectMeta::table() {
  using S = ObjectMeta;
  static const Table table{
      field("name", 1, &S::name),
      field("generateName", 2, &S::generate_name),
      field("namespace", 3, &S::ns),
      field("uid", 5, &S::uid),
      field("resourceVersion", 6, &S::resource_version),
      field("generation", 7, &S::generation),
      field("creationTimestamp", 8, &S::creation_timestamp),
      field("deletionTimestamp", 9, &S::deletion_timestamp),
      field("deletionGracePeriodSeconds", 10, &S::deletion_grace_period_seconds),
      field("labels", 11, &S::labels),
      field("annotations", 12, &S::annotations),
      field("ownerReferences", 13, &S::owner_references).merged_by("uid"),
      field("finalizers", 14, &S::finalizers).merged(),
      field("managedFields", 17, &S::managed_fields),
  };
  return table;
}

const Table& ListMeta::table() {
  using S = ListMeta;
  static const Table table{
      field("resourceVersion", 2, &S::resource_version),
      field("continue", 3, &S::continue_token),
      field("remainingItemCount", 4, &S::remaining_item_count),
  };
  return table;
}

const Table& LabelSelectorRequirement::table() {
  using S = LabelSelectorRequirement;
  static const Table table{
      field("key", 1, &S::key),
      field("operator", 2, &S::op),
      field("values", 3, &S::values),
  };
  return table;
}

const Table& LabelSelector::table() {
  using S = LabelSelector;
  static const Table table{
      field("matchLabels", 1, &S::match_labels),
      field("matchExpressions", 2, &S::match_expressions),
  };
  return table;
}

const Table& Condition::table() {
  using S = Condition;
  static const Table table{
      field("type", 1, &S::type),
      field("status", 2, &S::status),
      field("observedGeneration", 3, &S::observed_generation),
      field("lastTransitionTime", 4, &S::last_transition_time),
      field("reason", 5, &S::reason),
      field("message", 6, &S::message),
  };
  return table;
}

const Table& StatusCause::table() {
  using S = StatusCause;
  static const Table table{
      field("reason", 1, &S::reason),
      field("message", 2, &S::message),
      field("field", 3, &S::field_path),
  };
  return table;
}

const Table& StatusDetails::table() {
  using S = StatusDetails;
  static const Table table{
      field("name", 1, &S::name),
      field("group", 2, &S::group),
      field("kind", 3, &S::kind),
      field("uid", 6, &S::uid),
      field("causes", 4, &S::causes),
      field("retryAfterSeconds", 5, &S::retry_after_seconds),
  };
  return table;
}

const Table& Status::table() {
  using S = Status;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("status", 2, &S::status),
      field("message", 3, &S::message),
      field("reason", 4, &S::reason),
      field("details", 5, &S::details),
      field("code", 6, &S::code),
  };
  return table;
}

const Table& Preconditions::table() {
  using S = Preconditions;
  static const Table table{
      field("uid", 1, &S::uid),
      field("resourceVersion", 2, &S::resource_version),
  };
  return table;
}

const Table& DeleteOptions::table() {
  using S = DeleteOptions;
  static const Table table{
      field("gracePeriodSeconds", 1, &S::grace_period_seconds),
      field("preconditions", 2, &S::preconditions),
      field("orphanDependents", 3, &S::orphan_dependents),
      field("propagationPolicy", 4, &S::propagation_policy),
      field("dryRun", 5, &S::dry_run),
  };
  return table;
}

}  // namespace berth::api
