// Every kind Berth knows, for code that learns at run time which one it has: tools that read files,
// tests that hold for all kinds.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "api/kind.h"
#include "api/table.h"

namespace berth::api {

// Kinds that stand alone in files or on the wire; not those that only travel inside others.
struct KindEntry {
  const Kind* kind;
  const Table& (*table)();
  // A default constructed object of the kind.
  std::shared_ptr<void> (*make)();
  bool (*equal)(const void* a, const void* b);

  // The same of a list of the kind.
  const Table& (*list_table)();
  std::shared_ptr<void> (*make_list)();
  bool (*lists_equal)(const void* a, const void* b);
};

// In alphabetical order of group, then kind.
std::span<const KindEntry> all_kinds();

// `api_version` as objects carry it ("v1", "storage.k8s.io/v1"). nullptr for a kind we do not know.
const KindEntry* find_kind(std::string_view api_version, std::string_view kind);

}  // namespace berth::api
