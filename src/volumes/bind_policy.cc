#include "volumes/bind_policy.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>
#include <system_error>

#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

constexpr std::chrono::seconds kTimeoutMax = std::chrono::hours(24);

}  // namespace

std::chrono::seconds timeout_of(const api::StorageClass& storage_class, const BindPolicy& policy) {
  const std::string* text = find_annotation(storage_class.metadata, kBindTimeout);
  if (text == nullptr) {
    return policy.timeout;
  }
  std::chrono::seconds::rep seconds = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, seconds);
  if (error != std::errc() || rest != end || seconds < 0 || seconds > kTimeoutMax.count()) {
    return policy.timeout;
  }
  return std::chrono::seconds(seconds);
}

std::chrono::seconds timeout_of(std::string_view claim_key,
                                const View& view,
                                const BindPolicy& policy) {
  const ClaimEntry* claim = view.find_claim(claim_key);
  if (claim == nullptr) {
    return policy.timeout;
  }
  const ClassEntry* storage_class = view.find_class(class_of(*claim->stored));
  return storage_class != nullptr ? timeout_of(*storage_class->object, policy) : policy.timeout;
}

std::chrono::seconds shortest_timeout(const RecordedPlan& plan,
                                      const View& view,
                                      const BindPolicy& policy) {
  if (plan.empty()) {
    return policy.timeout;
  }
  std::chrono::seconds shortest = std::chrono::seconds::max();
  for (const RecordedBinding& binding : plan.bindings) {
    const std::string key = claim_key(binding.claim.ns, binding.claim.name);
    shortest = std::min(shortest, timeout_of(key, view, policy));
  }
  for (const RecordedProvision& provision : plan.provisions) {
    const std::string key = claim_key(provision.claim.ns, provision.claim.name);
    shortest = std::min(shortest, timeout_of(key, view, policy));
  }
  return shortest;
}

}  // namespace berth::volumes
