// One line about an object, for people.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "api/kinds.h"

namespace berth::cli {

struct Row {
  std::string kind;
  std::string name;  // "namespace/name", or the name of what has no namespace
  std::string details;
};

// `object` is of `kind`.
Row summarise(const api::KindEntry& kind, const void* object);

// Columns are as wide as their widest cell; nothing but the heading for no rows.
void print_table(const std::vector<Row>& rows, std::ostream& out);

}  // namespace berth::cli
