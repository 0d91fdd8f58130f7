#include "run.h"

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "difference.h"
#include "pod_requests.h"
#include "podfit_volumes.h"
#include "quantity.h"
#include "rows.h"
#include "selectors.h"
#include "volumes/related_switches.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

constexpr std::string_view kUsage =
    R"(usage: vector_check [--strict-upstream] FILE.jsonl[.gz]...

Replays recorded rows and prints each difference as row id, path, expected, got.
The last line is `agree N differ M`, counted in rows; a row or a file that cannot be read
counts as one that differs. Exit code 0 only if all agree.

  --strict-upstream  do what upstream does even where Berth does better
  --help             this text
)";

struct Mode {
  // Wrong integers of upstream are recorded together with the right ones, which count in either
  // mode.
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
    VectorSet{.recognises = is_podfit_row,
              .check =
                  [](const json::object& row, const Mode& mode) {
                    return check_podfit_row(row,
                                            mode.strict_upstream
                                                ? volumes::RelatedSwitches::upstream()
                                                : volumes::RelatedSwitches());
                  }},
};

struct Counts {
  std::size_t agree = 0;
  std::size_t differ = 0;
};

Result<Differences> differences_in(const json::object& row, const Mode& mode) {
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

void fail(const std::string& file, const Error& error, Counts& counts, std::ostream& err) {
  ++counts.differ;
  err << "vector_check: " << file << ": " << error.text() << '\n';
}

// A row by itself, so that a malformed one hides no other.
Result<bool> check_row(const json::object& row, const Mode& mode, std::ostream& out) {
  const json::value* name = row.if_contains("id");
  if (name == nullptr || !name->is_string()) {
    return Error(ErrorCode::kInvalid, "a row without id");
  }
  const std::string id(name->get_string());
  const Result<Differences> differences = differences_in(row, mode);
  if (!differences) {
    return Error(differences.error()).in("row " + id);
  }
  for (const Difference& difference : *differences) {
    out << id << ' ' << difference.path << " expected " << difference.expected << " got "
        << difference.got << '\n';
  }
  return differences->empty();
}

// A file that cannot be read to its end counts as one more row that differs.
void check_file(const std::string& file,
                const Mode& mode,
                Counts& counts,
                std::ostream& out,
                std::ostream& err) {
  Result<RowReader> reader = RowReader::open(file);
  if (!reader) {
    return fail(file, reader.error(), counts, err);
  }
  for (std::size_t rows = 0;; ++rows) {
    const Result<std::optional<json::object>> row = reader->next();
    if (!row) {
      return fail(file, row.error(), counts, err);
    }
    if (!row->has_value()) {
      if (rows == 0) {
        fail(file, Error(ErrorCode::kInvalid, "no rows"), counts, err);
      }
      return;
    }
    const Result<bool> agrees = check_row(**row, mode, out);
    if (!agrees) {
      fail(file, agrees.error(), counts, err);
    } else {
      ++(*agrees ? counts.agree : counts.differ);
    }
  }
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
    check_file(file, mode, counts, out, err);
  }
  out << "agree " << counts.agree << " differ " << counts.differ << '\n';
  return counts.differ == 0 ? 0 : 1;
}

}  // namespace berth::vector_check
