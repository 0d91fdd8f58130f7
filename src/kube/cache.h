// The objects of one kind, by key and by what else they are looked for.
//
//   Cache<api::Pod> pods(Mask::keeping<api::Pod>({"metadata", "spec.nodeName"}));
//   pods.add_index("node", [](const api::Pod& pod) { return std::vector{pod.spec.node_name}; });
//   for (const auto& pod : pods.find_by("node", "node-1")) ...
//
// Objects are immutable; a change puts another one in their place. Only the fields of the mask are
// kept in memory. Everything here is synchronous: who looks between two awaits sees one state.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/mask.h"
#include "api/table.h"
#include "base/assert.h"
#include "base/hash_map.h"
#include "kube/change.h"
#include "kube/object_key.h"

namespace berth::kube {

template <api::TopLevel Object>
class Cache {
 public:
  using Pointer = std::shared_ptr<const Object>;
  // The texts under which an object is found; may be none or several.
  using IndexFunction = std::function<std::vector<std::string>(const Object& object)>;

  // Without a mask all fields are kept. A mask keeps metadata's name, namespace, uid and
  // resourceVersion.
  explicit Cache(std::optional<api::Mask> mask = std::nullopt);
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  const api::Mask* mask() const { return mask_ ? &*mask_ : nullptr; }

  // Before the first object.
  void add_index(std::string name, IndexFunction function);

  std::size_t size() const { return objects_.size(); }
  // Empty when there is none.
  Pointer find(std::string_view ns, std::string_view name) const;
  Pointer find(const ObjectKey& key) const { return find(key.ns, key.name); }
  // In the order of namespace and name. Good until the next change: not to be held across an await.
  std::span<const Pointer> find_by(std::string_view index, std::string_view text) const;
  // In the order of namespace and name.
  std::vector<Pointer> all() const;

  // Each returns what changed, in order. An object that is there already with the same uid and
  // resourceVersion is no change.
  std::vector<Change<Object>> put(Pointer object);
  std::vector<Change<Object>> erase(const ObjectKey& key);
  // These and no others. Where a key stands twice the last one counts.
  std::vector<Change<Object>> replace(std::vector<Pointer> objects);

 private:
  using Name = std::pair<std::string_view, std::string_view>;
  static Name name_of(const Pointer& object) {
    return {object->metadata.ns, object->metadata.name};
  }
  static Name name_of(const Name& name) { return name; }

  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(const auto& named) const {
      const auto [ns, name] = name_of(named);
      std::size_t hash = TextHash{}(ns);
      boost::hash_combine(hash, TextHash{}(name));
      return hash;
    }
  };
  struct NameEqual {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return name_of(a) == name_of(b); }
  };
  struct NameLess {
    bool operator()(const auto& a, const auto& b) const { return name_of(a) < name_of(b); }
  };
  // The key is the object's own: a second copy of it would be a tenth of a small object.
  using Objects = boost::unordered_flat_set<Pointer, NameHash, NameEqual>;

  struct Index {
    std::string name;
    IndexFunction function;
    // Sorted by namespace and name. Objects mostly come in that order, so that the place of a new
    // one is the end.
    HashMap<std::string, std::vector<Pointer>> found;
  };

  static bool is_same_object(const Object& a, const Object& b) {
    return a.metadata.uid == b.metadata.uid;
  }
  static bool is_same_version(const Object& a, const Object& b) {
    return is_same_object(a, b) && a.metadata.resource_version == b.metadata.resource_version;
  }
  static void add_change(Pointer before, Pointer after, std::vector<Change<Object>>& changes);

  void reindex(const Pointer& before, const Pointer& after);
  static void take_out(Index& index, const Pointer& object);
  static void put_in(Index& index, const Pointer& object);

  // Constant after construction.
  std::optional<api::Mask> mask_;

  Objects objects_;
  std::vector<Index> indexes_;
};

namespace internal {

// Whether a mask keeps metadata's name, namespace, uid and resourceVersion.
bool keeps_identity(const api::Table& table, const api::Mask& mask);

}  // namespace internal

template <api::TopLevel Object>
Cache<Object>::Cache(std::optional<api::Mask> mask) : mask_(std::move(mask)) {
  BERTH_ASSERT(!mask_ || internal::keeps_identity(Object::table(), *mask_),
               "an object without its identity cannot be cached");
}

template <api::TopLevel Object>
void Cache<Object>::add_index(std::string name, IndexFunction function) {
  BERTH_ASSERT(objects_.empty(), "indexes are added before the first object");
  indexes_.push_back({.name = std::move(name), .function = std::move(function), .found = {}});
}

template <api::TopLevel Object>
typename Cache<Object>::Pointer Cache<Object>::find(std::string_view ns,
                                                    std::string_view name) const {
  const auto found = objects_.find(Name(ns, name));
  return found != objects_.end() ? *found : nullptr;
}

template <api::TopLevel Object>
std::span<const typename Cache<Object>::Pointer> Cache<Object>::find_by(
    std::string_view index, std::string_view text) const {
  const auto place = std::ranges::find(indexes_, index, &Index::name);
  BERTH_ASSERT(place != indexes_.end(), "only indexes that were added are asked");
  const auto found = place->found.find(text);
  return found != place->found.end() ? std::span<const Pointer>(found->second)
                                     : std::span<const Pointer>();
}

template <api::TopLevel Object>
std::vector<typename Cache<Object>::Pointer> Cache<Object>::all() const {
  std::vector<Pointer> sorted(objects_.begin(), objects_.end());
  std::ranges::sort(sorted, NameLess{});
  return sorted;
}

template <api::TopLevel Object>
std::vector<Change<Object>> Cache<Object>::put(Pointer object) {
  std::vector<Change<Object>> changes;
  const auto [place, is_new] = objects_.insert(object);
  Pointer before;
  if (!is_new) {
    before = *place;
    if (is_same_version(*before, *object)) {
      return changes;
    }
    objects_.erase(place);
    objects_.insert(object);
  }
  reindex(before, object);
  add_change(std::move(before), std::move(object), changes);
  return changes;
}

template <api::TopLevel Object>
std::vector<Change<Object>> Cache<Object>::erase(const ObjectKey& key) {
  std::vector<Change<Object>> changes;
  const auto place = objects_.find(Name(key.ns, key.name));
  if (place != objects_.end()) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): its place is erased
    const Pointer before = *place;
    objects_.erase(place);
    reindex(before, nullptr);
    add_change(before, nullptr, changes);
  }
  return changes;
}

template <api::TopLevel Object>
std::vector<Change<Object>> Cache<Object>::replace(std::vector<Pointer> objects) {
  // Sorted, and where a key stands twice the last one.
  std::map<Name, Pointer> sorted;
  for (Pointer& object : objects) {
    const Name name = name_of(object);
    sorted.erase(name);  // the name would be that of the object before
    sorted.emplace(name, std::move(object));
  }

  std::vector<Change<Object>> changes;
  const std::vector<Pointer> old = all();
  auto before = old.begin();
  for (const auto& [name, after] : sorted) {
    for (; before != old.end() && NameLess{}(*before, after); ++before) {
      add_change(*before, nullptr, changes);
    }
    const bool was_there = before != old.end() && NameEqual{}(*before, after);
    if (!was_there || !is_same_version(**before, *after)) {
      add_change(was_there ? *before : nullptr, after, changes);
    }
    before += was_there ? 1 : 0;
  }
  for (; before != old.end(); ++before) {
    add_change(*before, nullptr, changes);
  }
  for (const Change<Object>& change : changes) {
    if (change.before) {
      objects_.erase(change.before);
    }
    if (change.after) {
      objects_.insert(change.after);
    }
    reindex(change.before, change.after);
  }
  return changes;
}

template <api::TopLevel Object>
void Cache<Object>::add_change(Pointer before,
                               Pointer after,
                               std::vector<Change<Object>>& changes) {
  if (before && after && !is_same_object(*before, *after)) {
    changes.push_back({ChangeType::kDeleted, std::move(before), nullptr});
    changes.push_back({ChangeType::kAdded, nullptr, std::move(after)});
    return;
  }
  const ChangeType type = !before  ? ChangeType::kAdded
                          : !after ? ChangeType::kDeleted
                                   : ChangeType::kUpdated;
  changes.push_back({type, std::move(before), std::move(after)});
}

template <api::TopLevel Object>
void Cache<Object>::reindex(const Pointer& before, const Pointer& after) {
  for (Index& index : indexes_) {
    if (before) {
      take_out(index, before);
    }
    if (after) {
      put_in(index, after);
    }
  }
}

template <api::TopLevel Object>
void Cache<Object>::take_out(Index& index, const Pointer& object) {
  for (const std::string& text : index.function(*object)) {
    const auto found = index.found.find(text);
    // Nothing is found where the function gave the same text twice.
    if (found == index.found.end()) {
      continue;
    }
    std::vector<Pointer>& bucket = found->second;
    const auto place = std::ranges::lower_bound(bucket, object, NameLess{});
    if (place != bucket.end() && *place == object) {
      bucket.erase(place);
    }
    if (bucket.empty()) {
      index.found.erase(found);
    }
  }
}

template <api::TopLevel Object>
void Cache<Object>::put_in(Index& index, const Pointer& object) {
  for (const std::string& text : index.function(*object)) {
    std::vector<Pointer>& bucket = index.found[text];
    const auto place = std::ranges::lower_bound(bucket, object, NameLess{});
    if (place == bucket.end() || *place != object) {
      bucket.insert(place, object);
    }
  }
}

}  // namespace berth::kube
