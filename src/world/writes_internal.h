// The writes of a store, one file each. What they answer is in store.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/version_internal.h"

namespace berth::world {

// The rules of a request's kind; kNotFound if objects of the kind are not kept. kInvalid if the
// kind has namespaces and the key has none, or the reverse.
Result<const KindRules*> rules_for(const api::Kind* kind, const std::string& ns);

Error not_found(const KindRules& rules, const kube::ObjectKey& key);

// create.cc
Result<std::string> create_object(Ledger& ledger,
                                  const KindRules& rules,
                                  const kube::CreateRequest& request);

// update.cc
Result<std::string> patch_object(Ledger& ledger,
                                 const KindRules& rules,
                                 const kube::PatchRequest& request);

// deletion.cc
struct Deletion {
  // Preconditions; empty: none.
  std::string uid;
  std::string resource_version;
  std::optional<std::int64_t> grace_period_seconds;
};
// kConflict if the object is another one or has changed.
Result<void> check_preconditions(const KindRules& rules,
                                 const kube::ObjectKey& key,
                                 const Version& current,
                                 const Deletion& deletion);
Result<void> delete_object(Ledger& ledger,
                           const KindRules& rules,
                           const kube::ObjectKey& key,
                           const Deletion& deletion);
Result<void> finish_deletion_of(Ledger& ledger, const KindRules& rules, const kube::ObjectKey& key);

// binding.cc: POST pods/NAME/binding
Result<std::string> bind_pod(Ledger& ledger, const kube::CreateRequest& request);

// eviction.cc: POST pods/NAME/eviction
Result<std::string> evict_pod(Ledger& ledger, const kube::CreateRequest& request);

// What a subresource answers when it has nothing else to say.
std::string success_status();

}  // namespace berth::world
