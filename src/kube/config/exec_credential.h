// What an exec plugin is told, and what it answers (client.authentication.k8s.io). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/time.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "net/tls.h"
#include "rt/programs.h"

namespace berth::kube::config {

// At least one of token and identity is there.
struct ExecCredential {
  std::optional<Secret> token;
  std::optional<net::Identity> identity;
  std::optional<api::MicroTime> expires;
};

// The plugin as a program, with KUBERNETES_EXEC_INFO. `authority_pem` is that of the cluster.
rt::Program exec_program(const ExecPlugin& plugin,
                         const ServerConfig& config,
                         std::string_view authority_pem);

// From what the program wrote. Errors never quote it: it holds secrets.
Result<ExecCredential> read_exec_credential(std::string_view output, const ExecPlugin& plugin);

// What a program's end means. The error says what to do.
Result<ExecCredential> take_exec_credential(const Result<rt::ProgramEnd>& end,
                                            const ExecPlugin& plugin);

}  // namespace berth::kube::config
