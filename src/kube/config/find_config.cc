#include "kube/config/find_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/text.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/choose.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/config/server_url.h"
#include "kube/config/surroundings.h"

namespace berth::kube::config {
namespace {

Result<Kubeconfig> read_file(const std::string& path, const Surroundings& surroundings) {
  auto text = surroundings.read(path, kKubeconfigSizeMax);
  if (!text) {
    return std::move(text).error().in(path);
  }
  return read_kubeconfig(*text, path);
}

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const std::string_view path = list.substr(0, list.find(':'));
    if (!path.empty()) {
      paths.emplace_back(path);
    }
    list.remove_prefix(std::min(path.size() + 1, list.size()));
  }
  return paths;
}

// The files of KUBECONFIG, together.
Result<Kubeconfig> read_list(const std::string& list, const Surroundings& surroundings) {
  std::vector<Kubeconfig> configs;
  for (const std::string& path : split_list(list)) {
    auto config = read_file(path, surroundings);
    if (config) {
      configs.push_back(*std::move(config));
    } else if (config.error().code() != ErrorCode::kNotFound) {
      return std::move(config).error();
    }
  }
  if (configs.empty()) {
    return Error(ErrorCode::kNotFound,
                 fmt::format("KUBECONFIG is '{}', and no such file exists; correct it, or give "
                             "--kubeconfig FILE",
                             list));
  }
  return merged(std::move(configs));
}

// What Kubernetes tells every container.
struct PodVariables {
  std::string host;
  std::string port;
};

std::optional<PodVariables> pod_variables(const Surroundings& surroundings) {
  auto host = surroundings.variable("KUBERNETES_SERVICE_HOST");
  auto port = surroundings.variable("KUBERNETES_SERVICE_PORT");
  if (!host || !port) {
    return std::nullopt;
  }
  return PodVariables{*std::move(host), *std::move(port)};
}

Result<ServerConfig> in_cluster(const PodVariables& pod, const Surroundings& surroundings) {
  const std::string folder = kServiceAccountFolder;
  const bool is_ipv6 = pod.host.find(':') != std::string::npos;
  auto url = parse_server_url(
      fmt::format("https://{}{}{}:{}", is_ipv6 ? "[" : "", pod.host, is_ipv6 ? "]" : "", pod.port));
  if (!url) {
    return std::move(url).error().in("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT");
  }
  ServerConfig config{.context = "in-cluster",
                      .cluster = "the service account of this pod (" + folder + ")",
                      .user = "the service account of this pod (" + folder + ")",
                      .url = *std::move(url),
                      .authority = {.path = folder + "/ca.crt"},
                      .token_file = folder + "/token"};
  config.server_name = config.url.endpoint.host;
  if (const auto ns = surroundings.read(folder + "/namespace", kMaterialSizeMax)) {
    config.ns = api::trimmed(*ns);
  }
  return config;
}

bool has_token(const Surroundings& surroundings) {
  const auto token =
      surroundings.read(std::string(kServiceAccountFolder) + "/token", kMaterialSizeMax);
  return token || token.error().code() != ErrorCode::kNotFound;
}

Error nothing_found(const std::optional<PodVariables>& pod, const std::string& home_file) {
  if (pod) {
    return {ErrorCode::kNotFound,
            fmt::format("this is a pod without a service account token ({}/token is not there): "
                        "mount one (automountServiceAccountToken), or give --kubeconfig FILE",
                        kServiceAccountFolder)};
  }
  return {
      ErrorCode::kNotFound,
      fmt::format("nothing says where the API server is: there is no {}, KUBECONFIG is not set, "
                  "and this is no pod; give --kubeconfig FILE",
                  home_file)};
}

}  // namespace

Result<ServerConfig> find_config(const ConfigChoice& choice, const Surroundings& surroundings) {
  if (!choice.kubeconfig.empty()) {
    BERTH_TRY(const Kubeconfig config, read_file(choice.kubeconfig, surroundings));
    return choose(config, choice.context);
  }
  if (const auto list = surroundings.variable("KUBECONFIG")) {
    BERTH_TRY(const Kubeconfig config, read_list(*list, surroundings));
    return choose(config, choice.context);
  }
  const auto pod = pod_variables(surroundings);
  if (pod && choice.context.empty() && has_token(surroundings)) {
    return in_cluster(*pod, surroundings);
  }
  const std::string home_file = surroundings.variable("HOME").value_or("~") + "/.kube/config";
  const auto config = read_file(home_file, surroundings);
  if (!config && config.error().code() == ErrorCode::kNotFound) {
    return nothing_found(pod, home_file);
  }
  if (!config) {
    return config.error();
  }
  return choose(*config, choice.context);
}

}  // namespace berth::kube::config
