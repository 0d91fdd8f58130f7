#include "stub_server.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "volumes/names.h"
#include "volumes_changes.h"
#include "volumes_scenario.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

constexpr std::string_view kVolumes = "persistentvolumes";
constexpr std::string_view kClaims = "persistentvolumeclaims";

std::string key_of(std::string_view resource, std::string_view ns, std::string_view name) {
  return std::string(resource) + " " + std::string(ns) + "/" + std::string(name);
}

// The member as an object; made where it is absent.
json::object& child(json::object& object, std::string_view field) {
  json::value& value = object[field];
  if (!value.is_object()) {
    value = json::object();
  }
  return value.get_object();
}

std::string text_at(const json::object& object, std::string_view parent, std::string_view field) {
  const json::value* const outer = object.if_contains(parent);
  if (outer == nullptr || !outer->is_object()) {
    return "";
  }
  const json::value* const value = outer->get_object().if_contains(field);
  return value == nullptr || !value->is_string() ? "" : std::string(value->get_string());
}

std::string version_of(const json::object& object) {
  return text_at(object, "metadata", "resourceVersion");
}

// RFC 7386.
void merge(json::object& object, const json::object& patch) {
  for (const auto& field : patch) {
    if (field.value().is_null()) {
      object.erase(field.key());
    } else if (field.value().is_object()) {
      merge(child(object, field.key()), field.value().get_object());
    } else {
      object[field.key()] = field.value();
    }
  }
}

// As the API server words them.
Error not_found(const StubServer::Target& target) {
  return {ErrorCode::kNotFound, target.resource + " \"" + target.name + "\" not found"};
}

Error conflict(const StubServer::Target& target) {
  return {ErrorCode::kConflict,
          "Operation cannot be fulfilled on " + target.resource + " \"" + target.name +
              "\": the object has been modified; please apply your changes to the latest version "
              "and try again"};
}

Error forbidden(const StubServer::Target& target) {
  return {ErrorCode::kForbidden,
          target.resource + " \"" + target.name + "\" is forbidden: not allowed"};
}

std::string_view result_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kNotFound:
      return "notFound";
    case ErrorCode::kForbidden:
      return "forbidden";
    default:
      return "error";
  }
}

}  // namespace

StubServer::StubServer(const json::object& objects, const BindInput& input) : input_(input) {
  for (const std::string_view resource : {kVolumes, kClaims}) {
    const json::value* const list = objects.if_contains(resource);
    if (list == nullptr) {
      continue;
    }
    for (const json::value& value : list->as_array()) {
      const json::object& object = value.as_object();
      objects_[key_of(resource,
                      text_at(object, "metadata", "namespace"),
                      text_at(object, "metadata", "name"))]
          .push_back(object);
    }
  }
}

StubServer::Versions* StubServer::find(const Target& target) {
  const auto found = objects_.find(key_of(target.resource, target.ns, target.name));
  return found == objects_.end() ? nullptr : &found->second;
}

const StubServer::Versions* StubServer::find(const Target& target) const {
  const auto found = objects_.find(key_of(target.resource, target.ns, target.name));
  return found == objects_.end() ? nullptr : &found->second;
}

Result<void> StubServer::check(const Target& target, const json::object& patch) const {
  const std::size_t number = writes_.size();
  const auto fault = std::ranges::find(input_.faults, number, &Fault::write);
  if (fault != input_.faults.end()) {
    if (fault->error == "conflict") {
      return conflict(target);
    }
    if (fault->error == "notFound") {
      return not_found(target);
    }
    if (fault->error == "forbidden") {
      return forbidden(target);
    }
    throw std::invalid_argument("unknown fault " + fault->error);
  }
  const Versions* const versions = find(target);
  if (versions == nullptr) {
    return not_found(target);
  }
  for (const std::string_view field : {"resourceVersion", "uid"}) {
    const std::string wanted = text_at(patch, "metadata", field);
    if (!wanted.empty() && wanted != text_at(versions->back(), "metadata", field)) {
      return conflict(target);
    }
  }
  return {};
}

const json::object& StubServer::store(Versions& versions, json::object object) {
  child(object, "metadata")["resourceVersion"] = std::to_string(++last_version_);
  versions.push_back(std::move(object));
  changed_.push_back(versions.back());
  return versions.back();
}

Result<json::object> StubServer::patch(const Target& target, const json::object& patch) {
  const std::string version = version_of(patch);
  json::object recorded{{"verb", "update"},
                        {"resource", target.resource},
                        {"name", target.name},
                        {"resourceVersion", version}};
  if (!target.ns.empty()) {
    recorded["namespace"] = target.ns;
  }
  Result<void> accepted = check(target, patch);
  Versions* const versions = find(target);
  json::object wanted;
  if (versions != nullptr) {
    // What a patch of an outdated version asked for is what it would have made of that version.
    const auto sent = std::ranges::find(*versions, version, version_of);
    wanted = sent == versions->end() ? versions->back() : *sent;
    merge(wanted, patch);
    recorded["changes"] = changes_between(versions->front(), wanted);
  }
  if (!accepted) {
    recorded["result"] = result_of(accepted.error());
    writes_.push_back(std::move(recorded));
    return std::move(accepted).error();
  }
  json::object stored = wanted == versions->back() ? wanted : store(*versions, std::move(wanted));
  recorded["result"] = "ok";
  recorded["resultResourceVersion"] = version_of(stored);
  writes_.push_back(std::move(recorded));
  if (input_.has_instant_controller) {
    finish_binding(target);
  }
  return stored;
}

Result<json::object> StubServer::read(const Target& target) const {
  const Versions* const versions = find(target);
  if (versions == nullptr) {
    return not_found(target);
  }
  return versions->back();
}

std::vector<json::object> StubServer::take_changed() {
  return std::exchange(changed_, {});
}

// What the PV controller and the provisioner do about what was written.
void StubServer::finish_binding(const Target& target) {
  const json::object object = find(target)->back();
  if (target.resource == kVolumes) {
    finish_volume(object);
  } else {
    finish_claim(object);
  }
}

void StubServer::finish_volume(const json::object& volume) {
  const json::object spec = json::object(volume.at("spec").as_object());
  const std::string claim_name = text_at(spec, "claimRef", "name");
  const std::string claim_namespace = text_at(spec, "claimRef", "namespace");
  const auto claim = objects_.find(key_of(kClaims, claim_namespace, claim_name));
  if (claim == objects_.end()) {
    return;
  }
  const std::string name = text_at(volume, "metadata", "name");
  json::object bound = volume;
  child(bound, "status")["phase"] = "Bound";
  store(objects_.at(key_of(kVolumes, "", name)), std::move(bound));
  bind_claim(claim->first, name);
}

void StubServer::finish_claim(const json::object& claim) {
  if (!text_at(claim, "spec", "volumeName").empty()) {
    return;
  }
  const std::string uid = text_at(claim, "metadata", "uid");
  const std::string ns = text_at(claim, "metadata", "namespace");
  const std::string claim_name = text_at(claim, "metadata", "name");
  const std::string name = "pvc-" + uid;
  const json::object& spec = claim.at("spec").as_object();
  json::object volume{{"apiVersion", "v1"},
                      {"kind", "PersistentVolume"},
                      {"metadata", {{"name", name}, {"uid", "uid-" + name}}},
                      {"spec",
                       {{"claimRef",
                         {{"apiVersion", "v1"},
                          {"kind", "PersistentVolumeClaim"},
                          {"namespace", ns},
                          {"name", claim_name},
                          {"uid", uid}}}}},
                      {"status", {{"phase", "Bound"}}}};
  for (const char* const field : {"storageClassName", "accessModes", "volumeMode"}) {
    if (const json::value* value = spec.if_contains(field)) {
      child(volume, "spec")[field] = *value;
    }
  }
  store(objects_[key_of(kVolumes, "", name)], std::move(volume));
  bind_claim(key_of(kClaims, ns, claim_name), name);
}

void StubServer::bind_claim(const std::string& key, std::string_view volume) {
  Versions& versions = objects_.at(key);
  json::object claim = versions.back();
  json::object& spec = child(claim, "spec");
  if (spec.contains("volumeName")) {
    return;  // a bound claim stays with its volume
  }
  spec["volumeName"] = volume;
  child(child(claim, "metadata"), "annotations")[volumes::kBindCompleted] = "yes";
  child(claim, "status")["phase"] = "Bound";
  store(versions, std::move(claim));
}

}  // namespace berth::vector_check
