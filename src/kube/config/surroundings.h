// What a process finds around itself: variables and files. Real (real_surroundings.h), or made up
// by a test.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

namespace berth::kube::config {

// A kubeconfig with thousands of clusters is smaller.
inline constexpr std::size_t kKubeconfigSizeMax = std::size_t{16} << 20U;
// A token, a certificate with its chain, a bundle of authorities.
inline constexpr std::size_t kMaterialSizeMax = std::size_t{4} << 20U;

class Surroundings {
 public:
  Surroundings() = default;
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  virtual ~Surroundings() = default;

  // Nothing when it is not set, or empty.
  virtual std::optional<std::string> variable(const std::string& name) const = 0;
  // The whole file. kNotFound: there is none; kLimit: it is larger; kUnavailable: it cannot be
  // read. The error does not name the path.
  virtual Result<std::string> read(const std::string& path, std::size_t size_max) const = 0;
};

}  // namespace berth::kube::config
