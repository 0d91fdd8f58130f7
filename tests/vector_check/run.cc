#include "run.h"

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "difference.h"
#include "pod_requests.h"
#include "quantity.h"
#include "rows.h"
#include "selectors.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

constexpr std::string_view kUsage =
    R"(usage: vector_check [--strict-upstream] FILE.jsonl[.gz]...

Replays recorded rows and prints each difference as row id, path, expected, got.
The last line is `agree N differ M`, counted in rows. Exit code 0 only if all agree.

  --strict-upstream  do what upstream does even where Berth does better
  --help             this text
)";

struct Mode {
  // No set has a switch for it yet: wrong integers of upstream are recorded together with the right
  // ones, and those count in either mode.
  bool strict_upstream = false;
};

// A set of vectors. A row belongs to the first set that recognises it.
struct VectorSet {
  bool (*recognises)(const json::object& row);
  Differences (*check)(const json::object& row, const Mode& mode);
};

constexpr std::array kSets{
    VectorSet{
        .recognises = is_quantity_row,
        .check = [](const json::object& row, const Mode&) { return check_quantity_row(row); }},
    VectorSet{
        .recognises = is_selector_row,
        .check = [](const json::object& row, const Mode&) { return check_selector_row(row); }},
    VectorSet{
        .recognises = is_pod_requests_row,
        .check = [](const json::object& row, const Mode&) { return check_pod_requests_row(row); }},
};

struct Counts {
  std::size_t agree = 0;
  std::size_t differ = 0;
};

Result<Differences> check_row(const json::object& row, const Mode& mode) {
  for (const VectorSet& set : kSets) {
    if (set.recognises(row)) {
      // Boost.JSON throws where a field is missing or has another type than the set says.
      try {
        return set.check(row, mode);
      } catch (const std::exception& error) {
        return Error(ErrorCode::kInvalid, std::string("malformed: ") + error.what());
      }
    }
  }
  const json::value* kind = row.if_contains("kind");
  return Error(
      ErrorCode::kInvalid,
      "of no known set (kind " + (kind == nullptr ? "absent" : json::serialize(*kind)) + ")");
}

Result<void> check_file(const std::string& path,
                        const Mode& mode,
                        Counts& counts,
                        std::ostream& out) {
  BERTH_TRY(RowReader reader, RowReader::open(path));
  std::size_t rows = 0;
  while (true) {
    BERTH_TRY(const std::optional<json::object> row, reader.next());
    if (!row) {
      break;
    }
    ++rows;
    const json::value* name = row->if_contains("id");
    if (name == nullptr || !name->is_string()) {
      return Error(ErrorCode::kInvalid, "a row without id");
    }
    const std::string id(name->get_string());
    Result<Differences> differences = check_row(*row, mode);
    if (!differences) {
      return std::move(differences).error().in("row " + id);
    }
    ++(differences->empty() ? counts.agree : counts.differ);
    for (const Difference& difference : *differences) {
      out << id << ' ' << difference.path << " expected " << difference.expected << " got "
          << difference.got << '\n';
    }
  }
  if (rows == 0) {
    return Error(ErrorCode::kInvalid, "no rows");
  }
  return {};
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Mode mode;
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (argument == "--help") {
      out << kUsage;
      return 0;
    }
    if (argument == "--strict-upstream") {
      mode.strict_upstream = true;
    } else if (argument.starts_with("-")) {
      err << "vector_check: unknown option " << argument << '\n' << kUsage;
      return 1;
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) {
    err << "vector_check: no file given\n" << kUsage;
    return 1;
  }
  Counts counts;
  for (const std::string& file : files) {
    Result<void> checked = check_file(file, mode, counts, out);
    if (!checked) {
      err << "vector_check: " << std::move(checked).error().in(file).text() << '\n';
      return 1;
    }
  }
  out << "agree " << counts.agree << " differ " << counts.differ << '\n';
  return counts.differ == 0 ? 0 : 1;
}

}  // namespace berth::vector_check
