// What vector_check was asked to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "volumes/related_switches.h"
#include "volumes/switches.h"

namespace berth::vector_check {

extern const std::string_view kUsage;

struct Options {
  bool is_help = false;
  // Where Berth does better than upstream.
  volumes::Switches switches;
  volumes::RelatedSwitches related;
  // Says which switch each difference comes from, in place of the differences.
  bool by_switch = false;
  std::vector<std::string> files;
};

// `arguments` without the program's name.
Result<Options> parse_options(const std::vector<std::string>& arguments);

}  // namespace berth::vector_check
