#include "decode/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <ios>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "decode/measure.h"
#include "decode/modes.h"

namespace berth::bench {
namespace {

struct Options {
  std::string mode;
  std::string input;
  Limits limits;
};

constexpr std::string_view kUsage =
    "usage: decode_bench --mode MODE --input FILE [--rounds N] [--seconds S]";

template <typename Number>
Result<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [stop, code] = std::from_chars(text.begin(), text.end(), number);
  if (code != std::errc{} || stop != text.end() || number < Number{0}) {
    return Error(ErrorCode::kInvalid, fmt::format("'{}' is not a number from 0 on", text));
  }
  return number;
}

Result<Options> parse_options(std::span<const std::string_view> arguments) {
  Options options;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string_view value = arguments[i + 1];
    if (arguments[i] == "--mode") {
      options.mode = value;
    } else if (arguments[i] == "--input") {
      options.input = value;
    } else if (arguments[i] == "--rounds") {
      BERTH_TRY(options.limits.rounds, parse_number<std::size_t>(value));
    } else if (arguments[i] == "--seconds") {
      BERTH_TRY(const double seconds, parse_number<double>(value));
      options.limits.seconds = std::chrono::duration<double>(seconds);
    } else {
      return Error(ErrorCode::kInvalid, fmt::format("unknown option '{}'", arguments[i]));
    }
  }
  if (options.mode.empty() || options.input.empty() || arguments.size() % 2 != 0 ||
      options.limits.rounds == 0) {
    std::string text(kUsage);
    text += "\nmodes:";
    for (const auto modes : {berth_modes(), peer_modes()}) {
      for (const Mode& mode : modes) {
        text += fmt::format(" {}", mode.name);
      }
    }
    return Error(ErrorCode::kInvalid, text);
  }
  return options;
}

Result<Mode> find_mode(std::string_view name) {
  for (const auto modes : {berth_modes(), peer_modes()}) {
    const auto found = std::ranges::find(modes, name, &Mode::name);
    if (found != modes.end()) {
      return *found;
    }
  }
  return Error(ErrorCode::kNotFound, fmt::format("no mode is called '{}'", name));
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  // In one piece: a string that grows leaves as much memory behind as it holds.
  std::string content(file ? static_cast<std::size_t>(file.tellg()) : 0, '\0');
  file.seekg(0);
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot read {}", path));
  }
  return content;
}

std::string report(std::string_view mode, std::size_t input_bytes, const Measurement& measured) {
  std::vector<double> sorted = measured.cpu_ns_per_pod;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  const double median =
      sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  const auto count = static_cast<double>(sorted.size());
  return fmt::format(R"({{"mode":"{}","pods":{},"input_bytes_per_pod":{:.1f},"rounds":{},)"
                     R"("cpu_ns_per_pod":{{"median":{:.1f},"best":{:.1f},"mean":{:.1f}}},)"
                     R"("peak_rss_growth_bytes":{}}})",
                     mode,
                     measured.pods,
                     static_cast<double>(input_bytes) / static_cast<double>(measured.pods),
                     sorted.size(),
                     median,
                     sorted.front(),
                     std::accumulate(sorted.begin(), sorted.end(), 0.0) / count,
                     measured.peak_rss_growth_bytes);
}

}  // namespace

Result<std::string> run(std::span<const std::string_view> arguments) {
  BERTH_TRY(const Options options, parse_options(arguments));
  BERTH_TRY(const Mode mode, find_mode(options.mode));
  BERTH_TRY(const std::string file, read_file(options.input));
  BERTH_TRY(const Work work, mode.prepare(file));
  BERTH_TRY(const Measurement measured, measure(work, options.limits));
  return report(mode.name, file.size(), measured);
}

}  // namespace berth::bench
