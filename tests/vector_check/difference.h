// Where a row's recorded result and ours part.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

namespace berth::vector_check {

struct Difference {
  std::string path;  // field names joined by dots, list places as numbers
  std::string expected;
  std::string got;
};

using Differences = std::vector<Difference>;

// Every leaf in which the two differ. A field only one side has is a difference too: a fact the
// checker does not know must not pass unseen.
Differences compare(const boost::json::object& expected, const boost::json::object& got);

}  // namespace berth::vector_check
