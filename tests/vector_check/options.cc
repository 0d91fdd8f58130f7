#include "options.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "volumes/related_switches.h"
#include "volumes/switches.h"

namespace berth::vector_check {

const std::string_view kUsage =
    R"(usage: vector_check [option]... FILE.jsonl[.gz]...

Replays recorded rows and prints each difference as row id, path, expected, got.
The last line is `agree N differ M`, counted in rows; a row or a file that cannot be read
counts as one that differs. Exit code 0 only if all agree.

  --strict-upstream     do what upstream does even where Berth does better: all switches off
  --switch NAME=on|off  one switch, after the others; may be repeated
  --by-switch           with all switches on, list the rows that differ by the switch that makes
                        them; a row counts as one that differs if turning that off does not help
  --help                this text
)";

namespace {

Result<void> set_switch(std::string_view setting, Options& options) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
  std::string names;
  bool* found = nullptr;
  for (const volumes::NamedSwitch& known : volumes::kSwitches) {
    names.append(" ").append(known.name);
    found = known.name == name ? &(options.switches.*known.member) : found;
  }
  for (const volumes::NamedRelatedSwitch& known : volumes::kRelatedSwitches) {
    names.append(" ").append(known.name);
    found = known.name == name ? &(options.related.*known.member) : found;
  }
  if (found == nullptr) {
    return Error(ErrorCode::kInvalid,
                 "unknown switch " + std::string(name) + "; there are" + names);
  }
  if (value != "on" && value != "off") {
    return Error(ErrorCode::kInvalid, "switch " + std::string(name) + " is set to on or off");
  }
  *found = value == "on";
  return {};
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  bool is_strict = false;
  std::vector<std::string> settings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help") {
      options.is_help = true;
      return options;
    }
    if (argument == "--strict-upstream") {
      is_strict = true;
    } else if (argument == "--by-switch") {
      options.by_switch = true;
    } else if (argument == "--switch") {
      if (++i == arguments.size()) {
        return Error(ErrorCode::kInvalid, "--switch needs NAME=on or NAME=off");
      }
      settings.push_back(arguments[i]);
    } else if (argument.starts_with("-")) {
      return Error(ErrorCode::kInvalid, "unknown option " + argument);
    } else {
      options.files.push_back(argument);
    }
  }
  if (options.by_switch && (is_strict || !settings.empty())) {
    return Error(ErrorCode::kInvalid, "--by-switch sets the switches itself");
  }
  if (is_strict) {
    options.switches = volumes::Switches::upstream();
    options.related = volumes::RelatedSwitches::upstream();
  }
  for (const std::string& setting : settings) {
    if (Result<void> set = set_switch(setting, options); !set) {
      return std::move(set).error();
    }
  }
  if (options.files.empty()) {
    return Error(ErrorCode::kInvalid, "no file given");
  }
  return options;
}

}  // namespace berth::vector_check
