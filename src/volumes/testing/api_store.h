// A server for tests that knows two kinds: volumes and claims, each with a version that goes up
// with every change, and merge patches under preconditions. It applies the very bodies that would
// be sent.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/bind_steps.h"
#include "volumes/catalog.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"
#include "volumes/writes.h"

namespace berth::volumes::testing {

class ApiStore {
 public:
  ApiStore() = default;

  // What was sent, in order.
  std::vector<Write> writes;

  // Creates or replaces, under a new version.
  VolumePtr put(api::PersistentVolume volume) { return put_in(volumes_, std::move(volume)); }
  ClaimPtr put(api::PersistentVolumeClaim claim) { return put_in(claims_, std::move(claim)); }
  void remove_volume(const std::string& name) { volumes_.erase("/" + name); }
  void remove_claim(const std::string& name) {
    claims_.erase(claim_key(std::string(kNamespace), name));
  }

  bool has_volume(const std::string& name) const { return volumes_.contains("/" + name); }
  bool has_claim(const std::string& name) const {
    return claims_.contains(claim_key(std::string(kNamespace), name));
  }
  const api::PersistentVolume& volume(const std::string& name) const {
    return *get(volumes_, "/" + name);
  }
  const api::PersistentVolumeClaim& claim(const std::string& name) const {
    return *get(claims_, claim_key(std::string(kNamespace), name));
  }
  const std::map<std::string, VolumePtr>& volumes() const { return volumes_; }
  const std::map<std::string, ClaimPtr>& claims() const { return claims_; }

  // As a client would be answered; nothing is lost.
  Result<Written> apply(const Write& write) {
    writes.push_back(write);
    const std::string key = claim_key(write.object.ns, write.object.name);
    if (write.object.kind == ObjectKind::kVolume) {
      BERTH_TRY(const VolumePtr volume, patch(volumes_, key, write, "persistentvolumes"));
      return Written{.object = write.object, .volume = volume};
    }
    BERTH_TRY(const ClaimPtr claim, patch(claims_, key, write, "persistentvolumeclaims"));
    return Written{.object = write.object, .claim = claim};
  }

  ObjectRead read(const ObjectId& object) const {
    const std::string key = claim_key(object.ns, object.name);
    ObjectRead read{.object = object};
    if (object.kind == ObjectKind::kVolume) {
      const auto found = volumes_.find(key);
      read.volume = found != volumes_.end() ? found->second : nullptr;
    } else {
      const auto found = claims_.find(key);
      read.claim = found != claims_.end() ? found->second : nullptr;
    }
    return read;
  }

  // The cache sees all that has happened so far.
  void show(Catalog& catalog) const {
    std::vector<std::string> gone;
    for (const auto& [name, entry] : catalog.now().volumes()) {
      if (!volumes_.contains("/" + name)) {
        gone.push_back(name);
      }
    }
    for (const std::string& name : gone) {
      catalog.remove_volume(name);
    }
    gone.clear();
    for (const auto& [key, entry] : catalog.now().claims()) {
      if (!claims_.contains(key)) {
        gone.push_back(entry->stored->metadata.name);
      }
    }
    for (const std::string& name : gone) {
      catalog.remove_claim(kNamespace, name);
    }
    for (const auto& [key, volume] : volumes_) {
      catalog.set(volume);
    }
    for (const auto& [key, claim] : claims_) {
      catalog.set(claim);
    }
  }

  // What the PV controller does with a claim that some volume refers to by uid: both are bound.
  void finish_binding(const std::string& volume_name, const std::string& claim_name) {
    finish_volume(volume_name);
    api::PersistentVolumeClaim bound = claim(claim_name);
    bound.spec.volume_name = volume_name;
    bound.metadata.annotations.insert_or_assign(std::string(kBindCompleted), "yes");
    bound.metadata.annotations.insert_or_assign(std::string(kBoundByController), "yes");
    bound.status.phase = "Bound";
    put(std::move(bound));
  }
  // Its first step, which the claim does not show.
  void finish_volume(const std::string& name) {
    api::PersistentVolume bound = volume(name);
    bound.status.phase = "Bound";
    put(std::move(bound));
  }
  // What a provisioner does: a volume for the claim, reachable from the node.
  void provision(const std::string& claim_name, std::string_view node) {
    const api::PersistentVolumeClaim& wanted = claim(claim_name);
    const std::string name = "pvc-" + wanted.metadata.uid;
    put(*pv(name).of(class_of(wanted)).on(node).names(claim_name, wanted.metadata.uid));
  }

 private:
  template <typename Object>
  using ByKey = std::map<std::string, std::shared_ptr<const Object>>;

  template <typename Object>
  static const std::shared_ptr<const Object>& get(const ByKey<Object>& objects,
                                                  const std::string& key) {
    const auto found = objects.find(key);
    BERTH_ASSERT(found != objects.end(), "a test looks at objects it has put there");
    return found->second;
  }

  std::string next_version() { return std::to_string(++version_); }

  template <typename Object>
  std::shared_ptr<const Object> put_in(ByKey<Object>& objects, Object object) {
    object.metadata.resource_version = next_version();
    const std::string key = claim_key(object.metadata.ns, object.metadata.name);
    auto stored = std::make_shared<const Object>(std::move(object));
    objects.insert_or_assign(key, stored);
    return stored;
  }

  static void expect_guarded(const nlohmann::json& body) {
    EXPECT_TRUE(body["metadata"].contains("uid")) << body.dump();
    EXPECT_TRUE(body["metadata"].contains("resourceVersion")) << body.dump();
  }

  template <typename Object>
  Result<std::shared_ptr<const Object>> patch(ByKey<Object>& objects,
                                              const std::string& key,
                                              const Write& write,
                                              std::string_view resource) {
    const nlohmann::json body = nlohmann::json::parse(merge_patch(write));
    expect_guarded(body);
    const auto found = objects.find(key);
    if (found == objects.end()) {
      return Error(ErrorCode::kNotFound,
                   fmt::format("{} \"{}\" not found", resource, write.object.name));
    }
    const Object& before = *found->second;
    if (body["metadata"]["resourceVersion"] != before.metadata.resource_version) {
      return Error(ErrorCode::kConflict,
                   fmt::format("Operation cannot be fulfilled on {} \"{}\": the object has been "
                               "modified; please apply your changes to the latest version and "
                               "try again",
                               resource,
                               write.object.name));
    }
    if (body["metadata"]["uid"] != before.metadata.uid) {
      return Error(ErrorCode::kInvalid, "metadata.uid: field is immutable");
    }
    nlohmann::json document = nlohmann::json::parse(api::to_json(before));
    document.merge_patch(body);
    BERTH_TRY(Object after, api::from_json<Object>(document.dump()));
    if (after == before) {
      return found->second;
    }
    return put_in(objects, std::move(after));
  }

  std::uint64_t version_ = 100;
  ByKey<api::PersistentVolume> volumes_;
  ByKey<api::PersistentVolumeClaim> claims_;
};

}  // namespace berth::volumes::testing
