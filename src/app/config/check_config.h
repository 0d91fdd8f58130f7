// `berth config`: what a configuration of the scheduler means, and what is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::app {

struct ConfigReport {
  // Which plugins are asked at each point of each profile; empty when something is wrong.
  std::string table;
  // A line each, with the file and the line of the file: "config.yaml:12: ...".
  std::vector<std::string> problems;
  std::vector<std::string> remarks;  // what is allowed and has no effect
};

// `name` is what the file is called.
ConfigReport check_config(const std::string& name, std::string_view text);

// The default configuration as the text of a file.
std::string default_config();

}  // namespace berth::app
