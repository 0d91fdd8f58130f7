#include "volumes/reliance.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/undo_scope.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

std::vector<Need> needs_of(const RecordedPlan& plan) {
  std::vector<Need> needs;
  for (const RecordedBinding& binding : plan.bindings) {
    needs.push_back(need_of(binding));
  }
  for (const RecordedProvision& provision : plan.provisions) {
    needs.push_back(need_of(provision, plan.node.name));
  }
  return needs;
}

}  // namespace

Need need_of(const RecordedBinding& binding) {
  return {.object = volume_id(binding.volume.name),
          .uid = binding.volume.uid,
          .value = binding.claim.uid};
}

Need need_of(const RecordedProvision& provision, std::string_view node) {
  return {
      .object = claim_id(provision.claim), .uid = provision.claim.uid, .value = std::string(node)};
}

void Reliance::rely(const std::string& owner, const std::string& pod, std::vector<Need> needs) {
  for (const Need& need : needs) {
    User user{.owner = owner, .pod = pod};
    for (const User& other : users_[need]) {
      if (!user.share) {
        user.share = other.share;
      }
      // Its undo will leave it, now that there is somebody who needs it.
      user.is_written = user.is_written || (other.has_given_up && other.is_written);
    }
    users_[need].push_back(std::move(user));
  }
  needs_.insert_or_assign(owner, std::move(needs));
}

void Reliance::rely(const std::string& owner, const RecordedPlan& plan) {
  rely(owner, claim_key(plan.pod.ns, plan.pod.name), needs_of(plan));
  RecordedPlan as_recorded = plan;
  share(owner, as_recorded);
}

void Reliance::share(const std::string& owner, RecordedPlan& plan) {
  for (RecordedBinding& binding : plan.bindings) {
    User* user = find(owner, need_of(binding));
    if (user == nullptr) {
      continue;
    }
    if (binding.is_ours()) {
      user->share = share_of(binding);
    } else if (user->share) {
      binding.reference = user->share->reference;
      binding.adds_mark = user->share->adds_mark;
      // The reference that stands carries the version the other plan was made on.
      binding.claim.version = user->share->claim_version;
    }
  }
  for (RecordedProvision& provision : plan.provisions) {
    User* user = find(owner, need_of(provision, plan.node.name));
    if (user == nullptr) {
      continue;
    }
    if (provision.is_ours) {
      user->share = share_of(provision);
    } else if (user->share) {
      provision.is_ours = true;
      provision.before = user->share->before;
    }
  }
}

UndoScope Reliance::give_up(const std::string& owner, const RecordedPlan& plan, UndoScope scope) {
  if (!needs_.contains(owner)) {
    rely(owner, plan);
  }
  scope.bindings.resize(plan.bindings.size());
  for (std::size_t i = 0; i < plan.bindings.size(); ++i) {
    scope.bindings[i] = leave(owner, need_of(plan.bindings[i]), scope.bindings[i]);
  }
  scope.provisions.resize(plan.provisions.size());
  for (std::size_t i = 0; i < plan.provisions.size(); ++i) {
    scope.provisions[i] =
        leave(owner, need_of(plan.provisions[i], plan.node.name), scope.provisions[i]);
  }
  return scope;
}

bool Reliance::leave(const std::string& owner, const Need& need, bool is_written) {
  User* user = find(owner, need);
  if (user == nullptr) {
    return is_written;
  }
  user->has_given_up = true;
  user->is_written = user->is_written || is_written;
  if (user->is_written) {
    hand_over(*user, need);
  }
  return user->is_written;
}

void Reliance::hand_over(const User& from, const Need& need) {
  for (User& other : users_[need]) {
    other.is_written = true;
    if (!other.share) {
      other.share = from.share;
    }
  }
}

void Reliance::forget(const std::string& owner) {
  const auto found = needs_.find(owner);
  if (found == needs_.end()) {
    return;
  }
  for (const Need& need : found->second) {
    const auto users = users_.find(need);
    if (users == users_.end()) {
      continue;  // it needed the same twice
    }
    std::erase_if(users->second, [&owner](const User& user) { return user.owner == owner; });
    if (users->second.empty()) {
      users_.erase(users);
    }
  }
  needs_.erase(found);
}

std::optional<std::string> Reliance::find_user(const Need& need) const {
  const auto users = users_.find(need);
  if (users == users_.end()) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(users->second, false, &User::has_given_up);
  return found == users->second.end() ? std::nullopt : std::optional(found->pod);
}

Reliance::Share Reliance::share_of(const RecordedBinding& binding) {
  return {.reference = binding.reference,
          .adds_mark = binding.adds_mark,
          .claim_version = binding.claim.version,
          .before = {}};
}

Reliance::Share Reliance::share_of(const RecordedProvision& provision) {
  return {.reference = {},
          .adds_mark = false,
          .claim_version = provision.claim.version,
          .before = provision.before};
}

Reliance::User* Reliance::find(const std::string& owner, const Need& need) {
  const auto users = users_.find(need);
  if (users == users_.end()) {
    return nullptr;
  }
  const auto found = std::ranges::find(users->second, owner, &User::owner);
  return found == users->second.end() ? nullptr : &*found;
}

}  // namespace berth::volumes
