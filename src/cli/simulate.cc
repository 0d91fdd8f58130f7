#include "cli/simulate.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>

#include "api/rules/quoted.h"
#include "app/simulate.h"
#include "cli/exit_code.h"

namespace berth::cli {
namespace {

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [rest, error] = std::from_chars(text.data(), end, seed);
  return error == std::errc() && rest == end ? std::optional(seed) : std::nullopt;
}

// False when `text` is no range of seeds.
bool parse_seeds(std::string_view text, app::SimulateOptions& options) {
  const std::size_t dots = text.find("..");
  const auto first = parse_seed(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : parse_seed(text.substr(dots + 2));
  if (!first || !last || *last < *first) {
    return false;
  }
  options.first_seed = *first;
  options.last_seed = *last;
  return true;
}

}  // namespace

ExitCode simulate(const SimulateArguments& arguments, std::ostream& out, std::ostream& err) {
  app::SimulateOptions options{.suite = arguments.suite,
                               .faults = arguments.faults,
                               .trace = arguments.trace,
                               .twice = arguments.twice,
                               .crash_everywhere = arguments.crash_everywhere,
                               .crash_at = arguments.crash_at,
                               .needs_every_fault = arguments.needs_every_fault};
  if (!parse_seeds(arguments.seeds, options)) {
    err << fmt::format("error: --seeds {}: expected A..B with A not above B, such as 1..100\n",
                       api::shown(arguments.seeds));
    return ExitCode::kError;
  }
  const auto found_nothing = app::simulate(options, out, err);
  if (!found_nothing) {
    err << "error: " << found_nothing.error().text() << "\n";
    return ExitCode::kError;
  }
  return *found_nothing ? ExitCode::kDone : ExitCode::kError;
}

}  // namespace berth::cli
