// From a kubeconfig to the server of one of its contexts.
#pragma once

#include <string>

#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"

namespace berth::kube::config {

// `context` empty: the current one. What we cannot do (proxies, passwords, auth providers) is
// refused here, and so is a cluster or a user with a field that looks like a slip of the pen:
// without it we would go to the wrong place, or as somebody else.
Result<ServerConfig> choose(const Kubeconfig& config, const std::string& context);

}  // namespace berth::kube::config
