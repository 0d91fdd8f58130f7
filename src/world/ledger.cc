#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/time.h"
#include "base/assert.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/ledger_internal.h"
#include "world/store.h"
#include "world/version_internal.h"

namespace berth::world {

Ledger::Ledger(Store::Options options)
    : options_(std::move(options)), shelves_(stored_kinds().size()) {
  BERTH_ASSERT(options_.clock != nullptr, "objects say when they were made");
  BERTH_ASSERT(options_.history_max > 0, "a watch that waits needs the change it waits for");
}

const Change* Ledger::change_after(std::uint64_t resource_version) const {
  BERTH_ASSERT(resource_version >= compacted_, "what was compacted cannot be read");
  const std::size_t index = resource_version - compacted_;
  return index < changes_.size() ? &changes_[index] : nullptr;
}

void Ledger::compact(std::uint64_t resource_version) {
  const std::uint64_t last = std::min(resource_version, this->resource_version());
  while (compacted_ < last) {
    forget_oldest();
  }
}

const VersionPtr& Ledger::version_at(const Chain& chain, std::uint64_t at) {
  static const VersionPtr nothing;
  const std::vector<Entry>& entries = chain.entries;
  if (entries.back().resource_version <= at) {
    return entries.back().version;
  }
  const auto later = std::upper_bound(
      entries.begin(), entries.end(), at, [](std::uint64_t wanted, const Entry& entry) {
        return wanted < entry.resource_version;
      });
  return later == entries.begin() ? nothing : std::prev(later)->version;
}

VersionPtr Ledger::find(const KindRules& rules, const kube::ObjectKey& key) const {
  return find(rules, key, resource_version());
}

VersionPtr Ledger::find(const KindRules& rules,
                        const kube::ObjectKey& key,
                        std::uint64_t at) const {
  const Objects& objects = shelves_[rules.index];
  const auto object = objects.find(key);
  return object == objects.end() ? nullptr : version_at(object->second, at);
}

VersionPtr Ledger::add(const KindRules& rules, const kube::ObjectKey& key, json::object tree) {
  BERTH_ASSERT(find(rules, key) == nullptr, "an object is added once");
  const std::uint64_t next = resource_version() + 1;
  auto version = std::make_shared<Version>(with_resource_version(std::move(tree), next), next);
  commit(rules,
         {.resource_version = next,
          .type = ChangeType::kAdded,
          .kind = &rules.kind(),
          .key = key,
          .after = version});
  return version;
}

VersionPtr Ledger::change(const KindRules& rules, const kube::ObjectKey& key, json::object tree) {
  VersionPtr before = find(rules, key);
  BERTH_ASSERT(before != nullptr, "what changes is there");
  const std::uint64_t next = resource_version() + 1;
  auto version = std::make_shared<Version>(with_resource_version(std::move(tree), next), next);
  commit(rules,
         {.resource_version = next,
          .type = ChangeType::kModified,
          .kind = &rules.kind(),
          .key = key,
          .before = std::move(before),
          .after = version});
  return version;
}

void Ledger::remove(const KindRules& rules, const kube::ObjectKey& key) {
  VersionPtr before = find(rules, key);
  BERTH_ASSERT(before != nullptr, "what is removed is there");
  const std::uint64_t next = resource_version() + 1;
  auto last = std::make_shared<Version>(with_resource_version(before->tree(), next), next);
  commit(rules,
         {.resource_version = next,
          .type = ChangeType::kDeleted,
          .kind = &rules.kind(),
          .key = key,
          .before = std::move(before),
          .after = std::move(last)});
}

void Ledger::commit(const KindRules& rules, Change change) {
  const bool is_deleted = change.type == ChangeType::kDeleted;
  shelves_[rules.index][change.key].entries.push_back(
      {change.resource_version, is_deleted ? nullptr : change.after});
  changes_.push_back(std::move(change));
  if (changes_.size() > options_.history_max) {
    forget_oldest();
  }
  for (const auto& [id, observer] : observers_) {
    observer();
  }
}

void Ledger::forget_oldest() {
  const Change& oldest = changes_.front();
  Objects& objects = shelves_[find_rules(*oldest.kind)->index];
  const auto object = objects.find(oldest.key);
  BERTH_ASSERT(object != objects.end(), "what a kept change tells of is kept");
  // The change's own version is what readers at its resourceVersion see; the ones before it go, and
  // so does a gap that nothing stands in front of.
  Chain& chain = object->second;
  const auto is_forgotten = [&](const Entry& entry) {
    return entry.resource_version < oldest.resource_version ||
           (entry.resource_version == oldest.resource_version && entry.version == nullptr);
  };
  while (chain.forgotten < chain.entries.size() && is_forgotten(chain.entries[chain.forgotten])) {
    chain.entries[chain.forgotten++].version = nullptr;
  }
  if (chain.forgotten == chain.entries.size()) {
    objects.erase(object);
  } else if (chain.forgotten > chain.entries.size() / 2) {
    chain.entries.erase(chain.entries.begin(),
                        chain.entries.begin() + static_cast<std::ptrdiff_t>(chain.forgotten));
    chain.forgotten = 0;
  }
  changes_.pop_front();
  ++compacted_;
}

std::uint64_t Ledger::on_change(std::function<void()> observer) {
  observers_.emplace(++observers_made_, std::move(observer));
  return observers_made_;
}

std::string Ledger::now_text() const {
  return api::to_text(std::chrono::floor<std::chrono::seconds>(now()));
}

}  // namespace berth::world
