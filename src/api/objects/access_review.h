// May we do this?
#pragma once

#include <string>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {

struct ResourceAttributes {
  std::string ns;
  std::string verb;
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string name;

  static const Table& table();
  bool operator==(const ResourceAttributes&) const = default;
};

struct NonResourceAttributes {
  std::string path;
  std::string verb;

  static const Table& table();
  bool operator==(const NonResourceAttributes&) const = default;
};

struct SelfSubjectAccessReviewSpec {
  Box<ResourceAttributes> resource_attributes;
  Box<NonResourceAttributes> non_resource_attributes;

  static const Table& table();
  bool operator==(const SelfSubjectAccessReviewSpec&) const = default;
};

struct SubjectAccessReviewStatus {
  bool allowed = false;
  bool denied = false;
  std::string reason;
  std::string evaluation_error;

  static const Table& table();
  bool operator==(const SubjectAccessReviewStatus&) const = default;
};

struct SelfSubjectAccessReview {
  ObjectMeta metadata;
  SelfSubjectAccessReviewSpec spec;
  SubjectAccessReviewStatus status;

  static constexpr Kind kKind{"authorization.k8s.io",
                              "v1",
                              "SelfSubjectAccessReview",
                              "selfsubjectaccessreviews",
                              Scope::kCluster};

  static const Table& table();
  bool operator==(const SelfSubjectAccessReview&) const = default;
};

}  // namespace berth::api
