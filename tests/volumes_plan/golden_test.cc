// Worked examples of `berth volumes plan`: each folder holds the objects, perhaps the arguments,
// and what the command says. README.md tells how to add one and how to renew them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

const fs::path& root() {
  static const fs::path path = BERTH_GOLDEN_ROOT;
  return path;
}

std::vector<std::string> all_cases() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(root())) {
    if (entry.is_directory()) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

std::string contents(const fs::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> list;
  for (std::string word; in >> word;) {
    list.push_back(word);
  }
  return list;
}

// The command as one would type it in the folder, what it prints, and how it ends.
std::string transcript(const fs::path& folder) {
  const std::string given = contents(folder / "args");
  const std::string line =
      "berth volumes plan " +
      (given.empty() ? "-f pod.yaml --objects objects.yaml" : given.substr(0, given.find('\n')));
  const std::vector<std::string> arguments = words(line);
  std::vector<const char*> argv;
  argv.reserve(arguments.size());
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ifstream in(folder / "pod.yaml");
  std::ostringstream out;
  std::ostringstream err;
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  const int code = cli::run(static_cast<int>(argv.size()), argv.data(), in, out, err);
  fs::current_path(before);
  return fmt::format("$ {}\n{}{}exit code {}\n", line, err.str(), out.str(), code);
}

class VolumesPlan : public testing::TestWithParam<std::string> {};

TEST_P(VolumesPlan, SaysWhatItSaid) {
  const fs::path folder = root() / GetParam();
  const std::string now = transcript(folder);
  const fs::path expected = folder / "expected.txt";
  if (std::getenv("BERTH_RENEW") != nullptr) {
    std::ofstream(expected, std::ios::binary) << now;
    return;
  }
  EXPECT_EQ(now, contents(expected)) << "BERTH_RENEW=1 writes it anew; then read what changed";
}

INSTANTIATE_TEST_SUITE_P(Golden,
                         VolumesPlan,
                         testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace berth
