// Variables and files of a test.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "kube/config/surroundings.h"

namespace berth::kube::testing_support {

class FakeSurroundings final : public config::Surroundings {
 public:
  std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() || found->second.empty() ? std::nullopt
                                                             : std::optional(found->second);
  }

  Result<std::string> read(const std::string& path, std::size_t size_max) const override {
    ++reads;
    const auto found = files.find(path);
    if (found == files.end()) {
      return Error(ErrorCode::kNotFound, "cannot be opened: No such file or directory");
    }
    if (found->second.size() > size_max) {
      return Error(ErrorCode::kLimit, "is too large");
    }
    return found->second;
  }

  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;
  mutable int reads = 0;
};

}  // namespace berth::kube::testing_support
