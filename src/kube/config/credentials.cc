#include "kube/config/credentials.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/config/exec_credentials.h"
#include "kube/config/file_credentials.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"
#include "kube/failure.h"
#include "net/tls.h"
#include "rt/programs.h"
#include "rt/runtime.h"

namespace berth::kube::config {

Error no_credentials(std::string text) {
  return Error(ErrorCode::kUnauthorized, std::move(text)).with_reason(failure::kNoCredentials);
}

Result<std::string> read_material(const Material& material,
                                  std::string_view what,
                                  const Surroundings& surroundings) {
  if (!material.data.empty() || material.path.empty()) {
    return material.data.reveal();
  }
  auto text = surroundings.read(material.path, kMaterialSizeMax);
  if (!text) {
    return no_credentials(fmt::format("{} {}: {}", what, material.path, text.error().text()));
  }
  return text;
}

Result<std::unique_ptr<net::Identity>> read_identity(const ServerConfig& config,
                                                     const Surroundings& surroundings) {
  if (config.certificate.is_empty()) {
    return std::unique_ptr<net::Identity>();
  }
  auto certificate = read_material(config.certificate, "client-certificate", surroundings);
  if (!certificate) {
    return std::move(certificate).error().in(config.user);
  }
  auto key = read_material(config.key, "client-key", surroundings);
  if (!key) {
    return std::move(key).error().in(config.user);
  }
  return std::make_unique<net::Identity>(net::Identity{.certificate_pem = *std::move(certificate),
                                                       .key_pem = Secret(*std::move(key))});
}

std::unique_ptr<ServerCredentials> make_credentials(const ServerConfig& config,
                                                    rt::Runtime& runtime,
                                                    rt::Programs& programs,
                                                    const Surroundings& surroundings) {
  if (config.exec) {
    return std::make_unique<ExecCredentials>(config, runtime, programs, surroundings);
  }
  return std::make_unique<FileCredentials>(config, runtime, surroundings);
}

}  // namespace berth::kube::config
