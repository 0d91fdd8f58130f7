#include "run.h"

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "by_switch.h"
#include "difference.h"
#include "options.h"
#include "pod_requests.h"
#include "podfit_volumes.h"
#include "quantity.h"
#include "rows.h"
#include "selectors.h"
#include "volumes/switches.h"
#include "volumes_replay.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

// A set of vectors. A row belongs to the first set that recognises it.
struct VectorSet {
  bool (*recognises)(const json::object& row);
  Differences (*check)(const json::object& row, const Options& options);
};

constexpr std::array kSets{
    VectorSet{
        .recognises = is_quantity_row,
        .check = [](const json::object& row, const Options&) { return check_quantity_row(row); }},
    VectorSet{
        .recognises = is_selector_row,
        .check = [](const json::object& row, const Options&) { return check_selector_row(row); }},
    VectorSet{.recognises = is_pod_requests_row,
              .check = [](const json::object& row,
                          const Options&) { return check_pod_requests_row(row); }},
    VectorSet{
        .recognises = is_podfit_row,
        .check = [](const json::object& row,
                    const Options& options) { return check_podfit_row(row, options.related); }},
    VectorSet{
        .recognises = is_volumes_row,
        .check = [](const json::object& row,
                    const Options& options) { return VolumesRow(row).check(options.switches); }},
};

struct Run {
  const Options& options;
  std::ostream& out;
  std::ostream& err;
  std::size_t agree = 0;
  std::size_t differ = 0;
  SwitchReport report;
};

Result<Differences> differences_in(const json::object& row, const Options& options) {
  for (const VectorSet& set : kSets) {
    if (set.recognises(row)) {
      return set.check(row, options);
    }
  }
  const json::value* kind = row.if_contains("kind");
  return Error(
      ErrorCode::kInvalid,
      "of no known set (kind " + (kind == nullptr ? "absent" : json::serialize(*kind)) + ")");
}

void fail(const std::string& file, const Error& error, Run& run) {
  ++run.differ;
  run.err << "vector_check: " << file << ": " << error.text() << '\n';
}

bool explain_row(const std::string& id, const json::object& row, SwitchReport& report) {
  const VolumesRow replayed(row);
  return report.add(id, [&replayed](const volumes::Switches& switches) {
    return replayed.check(switches).empty();
  });
}

Result<bool> judge_row(const std::string& id, const json::object& row, Run& run) {
  if (run.options.by_switch && is_volumes_row(row)) {
    return explain_row(id, row, run.report);
  }
  BERTH_TRY(const Differences differences, differences_in(row, run.options));
  for (const Difference& difference : differences) {
    run.out << id << ' ' << difference.path << " expected " << difference.expected << " got "
            << difference.got << '\n';
  }
  return differences.empty();
}

// A row by itself, so that a malformed one hides no other.
Result<bool> check_row(const json::object& row, Run& run) {
  const json::value* name = row.if_contains("id");
  if (name == nullptr || !name->is_string()) {
    return Error(ErrorCode::kInvalid, "a row without id");
  }
  const std::string id(name->get_string());
  // Boost.JSON throws where a field is missing or has another type than the set says.
  try {
    Result<bool> agrees = judge_row(id, row, run);
    return agrees ? std::move(agrees) : std::move(agrees).error().in("row " + id);
  } catch (const std::exception& error) {
    return Error(ErrorCode::kInvalid, std::string("malformed: ") + error.what()).in("row " + id);
  }
}

// A file that cannot be read to its end counts as one more row that differs.
void check_file(const std::string& file, Run& run) {
  Result<RowReader> reader = RowReader::open(file);
  if (!reader) {
    return fail(file, reader.error(), run);
  }
  for (std::size_t rows = 0;; ++rows) {
    const Result<std::optional<json::object>> row = reader->next();
    if (!row) {
      return fail(file, row.error(), run);
    }
    if (!row->has_value()) {
      if (rows == 0) {
        fail(file, Error(ErrorCode::kInvalid, "no rows"), run);
      }
      return;
    }
    const Result<bool> agrees = check_row(**row, run);
    if (!agrees) {
      fail(file, agrees.error(), run);
    } else {
      ++(*agrees ? run.agree : run.differ);
    }
  }
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const Result<Options> options = parse_options(arguments);
  if (!options) {
    err << "vector_check: " << options.error().text() << '\n' << kUsage;
    return 1;
  }
  if (options->is_help) {
    out << kUsage;
    return 0;
  }
  Run run{.options = *options, .out = out, .err = err};
  for (const std::string& file : options->files) {
    check_file(file, run);
  }
  if (options->by_switch) {
    run.report.print(out);
  }
  out << "agree " << run.agree << " differ " << run.differ << '\n';
  return run.differ == 0 ? 0 : 1;
}

}  // namespace berth::vector_check
