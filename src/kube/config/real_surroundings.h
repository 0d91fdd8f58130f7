// The variables and files of this process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/config/surroundings.h"

namespace berth::kube::config {

class RealSurroundings final : public Surroundings {
 public:
  std::optional<std::string> variable(const std::string& name) const override;
  Result<std::string> read(const std::string& path, std::size_t size_max) const override;
};

}  // namespace berth::kube::config
