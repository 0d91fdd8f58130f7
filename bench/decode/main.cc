// decode_bench --mode MODE --input FILE [--rounds N] [--seconds S]
//
// Measures one decoder on a list of pods and prints one JSON object. One mode a process, so that
// the memory is the mode's own.
#include <iostream>
#include <string_view>
#include <vector>

#include "decode/run.h"

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto report = berth::bench::run(arguments);
  if (!report) {
    std::cerr << "decode_bench: " << report.error().text() << "\n";
    return 1;
  }
  std::cout << *report << "\n";
  return 0;
}
