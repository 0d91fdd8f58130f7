// wire_bench: work on a real API server, as the Go peers do it (tests/cluster, `load` and
// `informer`). bench/run starts the server and sets both beside each other.
#include <charconv>
#include <cstddef>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include "base/assert.h"
#include "base/result.h"
#include "wire/work.h"

namespace {

using berth::bench::WireOptions;

constexpr std::string_view kUsage =
    "usage: wire_bench posts|orders|binds|follow --kubeconfig FILE [--count N] [--in-flight N]"
    " [--lists pages|stream]\n";

bool read_number(std::string_view text, std::size_t& number) {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() && number > 0;
}

bool read_options(int argc, char** argv, WireOptions& options) {
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    if (name == "--kubeconfig") {
      options.kubeconfig = value;
    } else if (name == "--lists" && (value == "pages" || value == "stream")) {
      options.streams = value == "stream";
    } else if (!(name == "--count" && read_number(value, options.count)) &&
               !(name == "--in-flight" && read_number(value, options.in_flight))) {
      return false;
    }
  }
  return argc % 2 == 0 && !options.kubeconfig.empty();
}

}  // namespace

int main(int argc, char** argv) {
  berth::survive_bugs();
  const std::map<std::string_view, berth::Result<void> (*)(const WireOptions&)> works = {
      {"posts", &berth::bench::post},
      {"orders", &berth::bench::make_orders},
      {"binds", &berth::bench::bind},
      {"follow", &berth::bench::follow}};
  WireOptions options;
  const auto work = argc > 1 ? works.find(argv[1]) : works.end();
  if (work == works.end() || !read_options(argc, argv, options)) {
    std::cerr << kUsage;
    return 1;
  }
  const auto done = work->second(options);
  if (!done) {
    std::cerr << "error: " << done.error().text() << "\n";
    return 1;
  }
  return 0;
}
