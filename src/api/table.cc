#include "api/table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/assert.h"

namespace berth::api {

Field Field::merged_by(std::string_view key) const {
  Field merged = *this;
  merged.patch_strategy = PatchStrategy::kMerge;
  merged.merge_key = key;
  return merged;
}

Field Field::merged() const {
  return merged_by("");
}

Field Field::retaining_keys() const {
  BERTH_ASSERT(patch_strategy == PatchStrategy::kMerge, "only a merging list retains keys");
  Field retaining = *this;
  retaining.patch_strategy = PatchStrategy::kMergeRetain;
  return retaining;
}

Field Field::replaced() const {
  Field replaced = *this;
  replaced.patch_strategy = PatchStrategy::kReplace;
  return replaced;
}

Table::Table(std::initializer_list<Field> fields) : fields_(fields) {
  BERTH_ASSERT(fields_.size() <= kFieldsMax, "readers keep one bit per line in 64 bits");
  for (const Field& field : fields_) {
    if (field.number != 0) {
      by_number_.resize(std::max<std::size_t>(by_number_.size(), field.number + 1));
      Slot& slot = by_number_[field.number];
      BERTH_ASSERT(slot.index == kNone, "a protobuf number stands on one line");
      slot = {.offset = field.offset,
              .index = static_cast<std::uint8_t>(index_of(field)),
              .shape = field.type->shape};
    }
    if (!field.is_inlined()) {
      json_names_.push_back({field.json_name, &field, field.offset, nullptr});
      continue;
    }
    for (const JsonName& inner : field.type->table().json_names()) {
      BERTH_ASSERT(inner.inlined_in == nullptr, "an inlined struct inlines nothing itself");
      json_names_.push_back({inner.name, inner.field, field.offset + inner.offset, &field});
    }
  }
  BERTH_ASSERT(json_names_.size() <= kFieldsMax, "readers keep one bit per name in 64 bits");
}

}  // namespace berth::api
