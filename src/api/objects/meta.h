// Metadata every object carries, and the types of the API machinery.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"

namespace berth::api {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;

  static const Table& table();
  bool operator==(const OwnerReference&) const = default;
};

struct ManagedFieldsEntry {
  std::string manager;
  std::string operation;
  std::string api_version;
  std::optional<Time> time;
  std::string fields_type;
  RawJson fields_v1;
  std::string subresource;

  static const Table& table();
  bool operator==(const ManagedFieldsEntry&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string ns;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;
  std::vector<ManagedFieldsEntry> managed_fields;

  static const Table& table();
  bool operator==(const ObjectMeta&) const = default;
};

struct ListMeta {
  std::string resource_version;
  std::string continue_token;
  std::optional<std::int64_t> remaining_item_count;

  static const Table& table();
  bool operator==(const ListMeta&) const = default;
};

struct LabelSelectorRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  static const Table& table();
  bool operator==(const LabelSelectorRequirement&) const = default;
};

struct LabelSelector {
  StringMap match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;

  static const Table& table();
  bool operator==(const LabelSelector&) const = default;
};

struct Condition {
  std::string type;
  std::string status;
  std::int64_t observed_generation = 0;
  std::optional<Time> last_transition_time;
  std::string reason;
  std::string message;

  static const Table& table();
  bool operator==(const Condition&) const = default;
};

struct StatusCause {
  std::string reason;
  std::string message;
  std::string field_path;

  static const Table& table();
  bool operator==(const StatusCause&) const = default;
};

struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<StatusCause> causes;
  std::int32_t retry_after_seconds = 0;

  static const Table& table();
  bool operator==(const StatusDetails&) const = default;
};

struct Status {
  ListMeta metadata;
  std::string status;
  std::string message;
  std::string reason;
  Box<StatusDetails> details;
  std::int32_t code = 0;

  static constexpr Kind kKind{"", "v1", "Status", "", Scope::kCluster};

  static const Table& table();
  bool operator==(const Status&) const = default;
};

struct Preconditions {
  std::optional<std::string> uid;
  std::optional<std::string> resource_version;

  static const Table& table();
  bool operator==(const Preconditions&) const = default;
};

struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds;
  Box<Preconditions> preconditions;
  std::optional<bool> orphan_dependents;
  std::optional<std::string> propagation_policy;
  std::vector<std::string> dry_run;

  static constexpr Kind kKind{"", "v1", "DeleteOptions", "", Scope::kCluster};

  static const Table& table();
  bool operator==(const DeleteOptions&) const = default;
};

}  // namespace berth::api
