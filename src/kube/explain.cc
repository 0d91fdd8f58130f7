#include "kube/explain.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "api/time.h"
#include "base/error.h"
#include "kube/config/server_config.h"
#include "kube/failure.h"
#include "net/failure.h"

namespace berth::kube {
namespace {

using config::ServerConfig;

// Why the connection was not made, or was lost; empty when it is another kind of error.
std::string explain_connection(const Error& error, const ServerConfig& config) {
  namespace why = net::failure;
  const std::string_view reason = error.reason();
  const std::string url = config.url.text();
  if (reason == why::kConnectionRefused) {
    return fmt::format(
        "{} refuses connections: is the server running there? If it is elsewhere, correct {}",
        url,
        config.cluster);
  }
  if (reason == why::kNameNotFound) {
    return fmt::format(
        "the name in {} is not found: correct it in {}, or see why this machine's DNS does not "
        "know "
        "it",
        url,
        config.cluster);
  }
  if (reason == why::kNoRoute) {
    return fmt::format(
        "there is no way to {}: see that the network is up, or correct {}", url, config.cluster);
  }
  if (reason == why::kNoTls) {
    return fmt::format(
        "what answers at {} does not speak TLS: the port is another program's, or the server wants "
        "http; correct {}",
        url,
        config.cluster);
  }
  return "";
}

// What is wrong with the certificate of the server; empty when nothing is.
std::string explain_certificate(const Error& error, const ServerConfig& config) {
  namespace why = net::failure;
  const std::string_view reason = error.reason();
  const std::string url = config.url.text();
  if (reason == why::kUntrusted) {
    const std::string_view authority =
        config.authority.is_empty() ? "an authority this machine trusts, and no other is named"
                                    : "the certificate-authority named";
    return fmt::format(
        "the certificate of {} is not signed by {} for {} ({}): put the authority of that server "
        "there; if it is there, somebody else answers in its place",
        url,
        authority,
        config.cluster,
        error.text());
  }
  if (reason == why::kExpired) {
    return fmt::format(
        "the certificate of {} has expired: renew it on the server; if it is good, the clock of "
        "this "
        "machine is wrong",
        url);
  }
  if (reason == why::kNotYetValid) {
    return fmt::format(
        "the certificate of {} is not valid yet: set the clock of this machine, or that of the "
        "server that made it",
        url);
  }
  if (reason == why::kWrongName) {
    return fmt::format(
        "the certificate of {} is not for '{}': use a name that is in it, or set tls-server-name "
        "to "
        "one in {}",
        url,
        config.server_name,
        config.cluster);
  }
  return "";
}

bool has_credentials(const ServerConfig& config) {
  return !config.token.empty() || !config.token_file.empty() || config.exec ||
         !config.certificate.is_empty();
}

// The server did not take what we showed.
std::string explain_identity(const Error& error,
                             const ServerConfig& config,
                             const Circumstances& around) {
  const std::string url = config.url.text();
  if (around.certificate_end && *around.certificate_end <= around.now) {
    return fmt::format("the client certificate of {} has expired on {}: get a new one",
                       config.user,
                       api::to_text(*around.certificate_end));
  }
  if (error.reason() == net::failure::kIdentityRefused) {
    return around.certificate_end
               ? fmt::format(
                     "{} refuses the client certificate of {} ({}): get one from an authority the "
                     "server knows",
                     url,
                     config.user,
                     error.text())
               : fmt::format(
                     "{} wants a client certificate, and {} has none ({}): add "
                     "client-certificate and client-key",
                     url,
                     config.user,
                     error.text());
  }
  return has_credentials(config) ? fmt::format(
                                       "{} does not know us (401, {}): the credentials of {} are "
                                       "wrong or have expired; "
                                       "get new ones",
                                       url,
                                       error.text(),
                                       config.user)
                                 : fmt::format(
                                       "{} does not know us (401, {}): {} has neither token, "
                                       "certificate nor exec plugin; "
                                       "add one",
                                       url,
                                       error.text(),
                                       config.user);
}

}  // namespace

std::string explain(const Error& error, const ServerConfig& config, const Circumstances& around) {
  const std::string_view reason = error.reason();
  const std::string url = config.url.text();
  if (reason == failure::kNoCredentials) {
    return error.text();
  }
  if (std::string line = explain_connection(error, config); !line.empty()) {
    return line;
  }
  if (std::string line = explain_certificate(error, config); !line.empty()) {
    return line;
  }
  if (reason == failure::kNotKubernetes) {
    return fmt::format(
        "what answers at {} is no API server but a proxy, a login page or another program ({}): "
        "correct host, port and path in {}",
        url,
        error.text(),
        config.cluster);
  }
  if (reason == failure::kAnswerCut) {
    return fmt::format(
        "{} sent half an answer ({}): try again; if it stays so, look at the proxy or load "
        "balancer "
        "before the server",
        url,
        error.text());
  }
  if (reason == net::failure::kIdentityRefused || error.code() == ErrorCode::kUnauthorized) {
    return explain_identity(error, config, around);
  }
  if (error.code() == ErrorCode::kForbidden) {
    return fmt::format(
        "{} knows us and does not allow it (403, {}): have {} bound to a role that does",
        url,
        error.text(),
        config.user);
  }
  if (error.code() == ErrorCode::kTimeout) {
    return fmt::format(
        "{} does not answer in time ({}): see that the network and its firewalls let us there, or "
        "correct {}",
        url,
        error.text(),
        config.cluster);
  }
  return fmt::format("{}: {}", url, error.text());
}

}  // namespace berth::kube
