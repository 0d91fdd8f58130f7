#include "kube/config/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/config/server_url.h"
#include "net/http.h"

namespace berth::kube::config {
namespace {

using api::shown;

Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

// "; ~/.kube/config has 'current-contxt' (is 'current-context' meant?)", or nothing.
std::string hint_of(const std::vector<std::string>& slips) {
  return slips.empty() ? "" : fmt::format("; {}", fmt::join(slips, ", "));
}

template <typename Value>
std::string names_in(const api::Map<Entry<Value>>& entries) {
  constexpr std::size_t kNamesMax = 10;
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries) {
    if (names.size() == kNamesMax) {
      names.emplace_back("...");
      break;
    }
    names.push_back(shown(name));
  }
  return names.empty() ? "there is none" : fmt::format("there are {}", fmt::join(names, ", "));
}

Result<std::string> context_name(const Kubeconfig& config, const std::string& wanted) {
  const std::string& name = wanted.empty() ? config.current_context : wanted;
  if (name.empty()) {
    return invalid(
        fmt::format("the kubeconfig has no current-context: set it with kubectl config "
                    "use-context NAME, or give --context NAME ({}){}",
                    names_in(config.contexts),
                    hint_of(config.slips)));
  }
  if (!config.contexts.contains(name)) {
    return invalid(fmt::format("the kubeconfig has no context '{}'; {}{}",
                               shown(name),
                               names_in(config.contexts),
                               hint_of(config.slips)));
  }
  return name;
}

template <typename Value>
Result<const Entry<Value>*> entry_of(std::string_view what,
                                     const std::string& name,
                                     const std::string& context,
                                     const api::Map<Entry<Value>>& entries,
                                     const std::vector<std::string>& slips) {
  const auto found = entries.find(name);
  if (found == entries.end()) {
    return invalid(
        name.empty()
            ? fmt::format("context '{}' names no {}{}", shown(context), what, hint_of(slips))
            : fmt::format("context '{}' names {} '{}', which is not there; {}{}",
                          shown(context),
                          what,
                          shown(name),
                          names_in(entries),
                          hint_of(slips)));
  }
  const Entry<Value>& entry = found->second;
  if (!entry.slips.empty()) {
    return invalid(fmt::format("{}: {} '{}' has {}; correct it",
                               entry.file,
                               what,
                               shown(name),
                               fmt::join(entry.slips, ", ")));
  }
  return &entry;
}

// What may stand in a header of HTTP.
bool is_header_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// Keys of extras become names of headers: what may not stand there is written %XX.
std::string header_name(std::string_view key) {
  constexpr std::string_view kPlain = "!#$&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
  std::string name = "impersonate-extra-";
  for (const char c : key) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (kPlain.find(lower) != std::string_view::npos) {
      name.push_back(lower);
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return name;
}

Result<net::Headers> impersonation_of(const User& user) {
  net::Headers headers;
  if (user.as.empty()) {
    if (!user.as_uid.empty() || !user.as_groups.empty() || !user.as_extra.empty()) {
      return invalid("as-uid, as-groups and as-user-extra need 'as' beside them");
    }
    return headers;
  }
  headers.push_back({"impersonate-user", user.as});
  if (!user.as_uid.empty()) {
    headers.push_back({"impersonate-uid", user.as_uid});
  }
  for (const std::string& group : user.as_groups) {
    headers.push_back({"impersonate-group", group});
  }
  for (const auto& [key, values] : user.as_extra) {
    for (const std::string& value : values) {
      headers.push_back({header_name(key), value});
    }
  }
  for (const net::Header& header : headers) {
    if (!is_header_value(header.value)) {
      return invalid(fmt::format(
          "'{}' cannot be sent in {}: only printable ASCII can", shown(header.value), header.name));
    }
  }
  return headers;
}

Result<void> check(const ExecPlugin& plugin) {
  if (plugin.command.empty()) {
    return invalid("exec: has no command");
  }
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return invalid(
        fmt::format("exec: apiVersion is '{}'; it must be client.authentication.k8s.io/v1 "
                    "or v1beta1: update the plugin and its kubeconfig",
                    shown(plugin.api_version)));
  }
  const auto is_cut = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (is_cut(plugin.command) || std::ranges::any_of(plugin.arguments, is_cut)) {
    return invalid("exec: command and args cannot hold a zero byte");
  }
  const std::string_view mode = plugin.interactive_mode;
  if (mode == "Always") {
    return invalid(
        "exec: interactiveMode is Always, and Berth has no terminal to lend; use another user");
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    return invalid(fmt::format(
        "exec: interactiveMode is '{}'; it must be Never, IfAvailable or Always", shown(mode)));
  }
  for (const auto& [name, value] : plugin.environment) {
    if (name.empty() || name.find('=') != std::string::npos || is_cut(name) || is_cut(value)) {
      return invalid(fmt::format("exec: env: '{}' is no name of a variable", shown(name)));
    }
  }
  return {};
}

Result<void> check(const User& user) {
  if (user.has_auth_provider) {
    return invalid("auth-provider is not supported; use an exec plugin instead");
  }
  if (user.has_password) {
    return invalid(
        "username and password are accepted by no Kubernetes server any more; use a token, a "
        "client "
        "certificate or an exec plugin");
  }
  if (user.certificate.is_empty() != user.key.is_empty()) {
    return invalid(user.key.is_empty() ? "has client-certificate but no client-key"
                                       : "has client-key but no client-certificate");
  }
  if (!is_header_value(user.token.reveal())) {
    return invalid("token: holds line breaks or other characters that no token has");
  }
  return user.exec ? check(*user.exec) : Result<void>();
}

Result<void> set_cluster(const Cluster& cluster, ServerConfig& config) {
  if (cluster.server.empty()) {
    return invalid("has no server");
  }
  if (!cluster.proxy_url.empty()) {
    return invalid("proxy-url is not supported; remove it, or reach the server without a proxy");
  }
  if (cluster.is_insecure && !cluster.authority.is_empty()) {
    return invalid(
        "has insecure-skip-tls-verify and a certificate-authority, which exclude each other; "
        "remove "
        "the first");
  }
  auto url = parse_server_url(cluster.server);
  if (!url) {
    return std::move(url).error().in("server");
  }
  if (!url->is_tls && !url->is_loopback() && !cluster.is_insecure) {
    return invalid(
        fmt::format("server: {} is not encrypted, and not on this machine; use https, or say "
                    "insecure-skip-tls-verify: true if everybody may read and change what is sent",
                    url->text()));
  }
  config.url = *std::move(url);
  config.server_name =
      cluster.tls_server_name.empty() ? config.url.endpoint.host : cluster.tls_server_name;
  config.is_insecure = cluster.is_insecure;
  config.authority = cluster.authority;
  config.exec_config = cluster.exec_config;
  return {};
}

Result<void> set_user(const User& user, ServerConfig& config) {
  if (auto good = check(user); !good) {
    return good;
  }
  auto impersonation = impersonation_of(user);
  if (!impersonation) {
    return std::move(impersonation).error();
  }
  config.impersonation = *std::move(impersonation);
  // What everybody can read is shown to nobody; kubectl does the same.
  if (!config.url.is_tls && !config.url.is_loopback()) {
    return {};
  }
  config.certificate = user.certificate;
  config.key = user.key;
  config.token = user.token;
  config.token_file = user.token_file;
  // A token that stands there needs no plugin.
  if (config.token.empty() && config.token_file.empty()) {
    config.exec = user.exec;
  }
  return {};
}

}  // namespace

Result<ServerConfig> choose(const Kubeconfig& config, const std::string& context) {
  BERTH_TRY(const std::string name, context_name(config, context));
  BERTH_TRY(const auto* entry, entry_of("context", name, name, config.contexts, config.slips));
  const Context& chosen = entry->value;
  BERTH_TRY(const auto* cluster,
            entry_of("cluster", chosen.cluster, name, config.clusters, config.slips));
  ServerConfig server{
      .context = name,
      .cluster = fmt::format("cluster '{}' in {}", shown(chosen.cluster), cluster->file),
      .ns = chosen.ns};
  if (auto set = set_cluster(cluster->value, server); !set) {
    return std::move(set).error().in(
        fmt::format("{}: cluster '{}'", cluster->file, shown(chosen.cluster)));
  }
  // A context without a user is nobody, which some servers accept.
  if (chosen.user.empty()) {
    server.user = fmt::format("context '{}' in {}, which names no user", shown(name), entry->file);
    return server;
  }
  BERTH_TRY(const auto* user, entry_of("user", chosen.user, name, config.users, config.slips));
  server.user = fmt::format("user '{}' in {}", shown(chosen.user), user->file);
  if (auto set = set_user(user->value, server); !set) {
    return std::move(set).error().in(fmt::format("{}: user '{}'", user->file, shown(chosen.user)));
  }
  return server;
}

}  // namespace berth::kube::config
