#include "api/mask.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "api/table.h"
#include "api/type.h"
#include "base/assert.h"

namespace berth::api {
namespace {

// The table behind a member, through optional values and containers; nullptr for a scalar.
const Table* table_behind(const Type& type) {
  const Type* inner = &type;
  while (inner->element != nullptr) {
    inner = inner->element;
  }
  return inner->table != nullptr ? &inner->table() : nullptr;
}

}  // namespace

// The first name of a path, found in a table.
struct Mask::Step {
  const Table::JsonName* name;
  std::string_view rest;

  Step(const Table& table, std::string_view path) : name(nullptr) {
    const auto dot = path.find('.');
    const auto first = path.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    for (const auto& candidate : table.json_names()) {
      if (candidate.name == first) {
        name = &candidate;
      }
    }
    const auto why = fmt::format("a mask names fields that exist; '{}' does not", path);
    BERTH_ASSERT(name != nullptr, why.c_str());
  }
};

Mask::Mask(const Table& table, bool keeps_all)
    : table_(&table), kept_(keeps_all ? ~std::uint64_t{0} : 0) {}

Mask& Mask::partial(std::size_t index, bool keeps_all) {
  if (child(index) == nullptr) {
    const Table* behind = table_behind(*table_->fields()[index].type);
    BERTH_ASSERT(behind != nullptr, "a mask's path goes on only behind a struct");
    while (children_.size() < table_->fields().size()) {
      children_.push_back(Mask(*table_, false));
    }
    children_[index] = Mask(*behind, keeps_all);
    partial_ |= std::uint64_t{1} << index;
  }
  return children_[index];
}

void Mask::keep(std::string_view path) {
  const Step step(*table_, path);
  const Field& line = step.name->inlined_in != nullptr ? *step.name->inlined_in : *step.name->field;
  const std::size_t index = table_->index_of(line);
  const bool was_kept_whole = keeps(index) && child(index) == nullptr;
  kept_ |= std::uint64_t{1} << index;
  if (step.name->inlined_in != nullptr) {
    if (!was_kept_whole) {
      partial(index, false).keep(path);
    }
  } else if (step.rest.empty()) {
    partial_ &= ~(std::uint64_t{1} << index);
  } else if (!was_kept_whole) {
    partial(index, false).keep(step.rest);
  }
}

void Mask::drop(std::string_view path) {
  const Step step(*table_, path);
  const Field& line = step.name->inlined_in != nullptr ? *step.name->inlined_in : *step.name->field;
  const std::size_t index = table_->index_of(line);
  if (!keeps(index)) {
    return;  // dropped already, with all behind it
  }
  if (step.name->inlined_in != nullptr) {
    partial(index, true).drop(path);
  } else if (step.rest.empty()) {
    kept_ &= ~(std::uint64_t{1} << index);
  } else {
    partial(index, true).drop(step.rest);
  }
}

Mask Mask::keeping(const Table& table, std::initializer_list<std::string_view> paths) {
  Mask mask(table, false);
  for (const auto path : paths) {
    mask.keep(path);
  }
  return mask;
}

Mask Mask::dropping(const Table& table, std::initializer_list<std::string_view> paths) {
  Mask mask(table, true);
  for (const auto path : paths) {
    mask.drop(path);
  }
  return mask;
}

}  // namespace berth::api
