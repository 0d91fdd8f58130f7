// What the API server does differently from one kind to the next, as data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/kinds.h"
#include "kube/object_key.h"

namespace berth::world {

// A field that a field selector may name, besides metadata.name and metadata.namespace.
struct SelectableField {
  std::string_view path;  // "spec.nodeName"
  // What a document without it is taken to say: the default a kube-apiserver would have filled in.
  std::string_view absent = {};
};

struct KindRules {
  const api::KindEntry* entry = nullptr;
  std::string api_version;
  std::size_t index = 0;  // among stored_kinds()

  // Has the subresource status: a write to the object leaves status alone, and the reverse.
  bool has_status = false;
  // A status in the body of a create counts. Only kubelets create objects together with their
  // status, so only nodes do.
  bool keeps_status_on_create = false;
  // status.phase of a new object; empty: none.
  std::string_view first_phase = {};
  // A write to the subresource status cannot change metadata. Older kinds let labels, annotations
  // and finalizers through.
  bool status_leaves_metadata = false;
  // metadata.generation counts changes of what is wished for.
  bool has_generation = false;
  std::span<const SelectableField> fields = {};

  const api::Kind& kind() const { return *entry->kind; }
  bool is_namespaced() const { return kind().scope == api::Scope::kNamespaced; }
  // Custom resources have no strategic merge patch.
  bool is_custom() const { return kind().wire == api::Wire::kJsonOnly; }
  bool is(const api::Kind& other) const { return kind() == other; }
};

// Every kind whose objects are kept: those of api/kinds.h without the ones that only travel.
std::span<const KindRules> stored_kinds();
// nullptr for a kind whose objects are not kept.
const KindRules* find_rules(const api::Kind& kind);

// How an object is called in messages: pods "web-0", leases.coordination.k8s.io "binder".
std::string described(const KindRules& rules, const kube::ObjectKey& key);

}  // namespace berth::world
