// Every version that can still be read, and the log of changes that made them.
//
// Each change takes the next resourceVersion, so the log is found into by subtraction. An object
// keeps its versions oldest first, with a gap (nullptr) where it did not exist. Forgetting the
// oldest change forgets the versions that only earlier readers could see.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kube/object_key.h"
#include "rt/random.h"
#include "rt/time.h"
#include "world/kind_rules.h"
#include "world/store.h"
#include "world/tree_internal.h"  // IWYU pragma: keep (the name json)

namespace berth::world {

class Ledger {
 public:
  explicit Ledger(Store::Options options);

  std::uint64_t resource_version() const { return compacted_ + changes_.size(); }
  std::uint64_t compacted() const { return compacted_; }
  const Change* change_after(std::uint64_t resource_version) const;
  void compact(std::uint64_t resource_version);

  // The newest version, or that at `at`; nullptr if there is no such object then.
  VersionPtr find(const KindRules& rules, const kube::ObjectKey& key) const;
  VersionPtr find(const KindRules& rules, const kube::ObjectKey& key, std::uint64_t at) const;

  // Calls visit(key, version) for the objects there were at `at`, from `first` on in order, while
  // it answers true.
  template <typename Visit>
  void visit(const KindRules& rules,
             const kube::ObjectKey& first,
             std::uint64_t at,
             Visit visit) const {
    const Objects& objects = shelves_[rules.index];
    for (auto object = objects.lower_bound(first); object != objects.end(); ++object) {
      const VersionPtr& version = version_at(object->second, at);
      if (version != nullptr && !visit(object->first, version)) {
        return;
      }
    }
  }

  // Each is one change. The tree is given its resourceVersion here.
  VersionPtr add(const KindRules& rules, const kube::ObjectKey& key, json::object tree);
  VersionPtr change(const KindRules& rules, const kube::ObjectKey& key, json::object tree);
  void remove(const KindRules& rules, const kube::ObjectKey& key);

  std::uint64_t on_change(std::function<void()> observer);
  void forget_observer(std::uint64_t observer) { observers_.erase(observer); }

  // What goes into new objects.
  rt::Random& random() { return options_.random; }
  rt::WallTime now() const { return options_.clock(); }
  // As metadata has it: RFC 3339, whole seconds.
  std::string now_text() const;

 private:
  struct Entry {
    std::uint64_t resource_version;
    VersionPtr version;  // nullptr: deleted
  };
  struct Chain {
    std::vector<Entry> entries;
    std::size_t forgotten = 0;  // of the first entries, which are dropped many at a time
  };
  using Objects = std::map<kube::ObjectKey, Chain>;

  static const VersionPtr& version_at(const Chain& chain, std::uint64_t at);
  void commit(const KindRules& rules, Change change);
  void forget_oldest();

  Store::Options options_;
  std::uint64_t compacted_ = 1;
  std::deque<Change> changes_;
  std::vector<Objects> shelves_;  // by KindRules::index
  std::uint64_t observers_made_ = 0;
  std::map<std::uint64_t, std::function<void()>> observers_;
};

}  // namespace berth::world
