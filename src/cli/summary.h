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

// A heading and the rows, each one line whatever its cells hold. Columns are as wide as their
// widest cell.
void print_table(std::vector<Row> rows, std::ostream& out);

}  // namespace berth::cli
