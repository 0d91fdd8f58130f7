#include "kube/config/exec_credential.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/base64.h"
#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/members.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "api/text.h"
#include "api/time.h"
#include "base/error.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/config/credentials.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/json_object.h"
#include "net/tls.h"
#include "rt/programs.h"

namespace berth::kube::config {
namespace {

using How = rt::ProgramEnd::How;

// Tokens have some kilobytes, chains of certificates some tens.
constexpr std::size_t kOutputMax = std::size_t{1} << 20U;
// Long enough for somebody to log in with a browser.
constexpr auto kTimeMax = std::chrono::seconds(60);

struct StatusFields {
  std::optional<api::MicroTime> expiration_timestamp;
  std::string token;
  std::string client_certificate_data;
  std::string client_key_data;

  static const api::Table& table() {
    using S = StatusFields;
    static const api::Table table{
        api::json_field("expirationTimestamp", &S::expiration_timestamp),
        api::json_field("token", &S::token),
        api::json_field("clientCertificateData", &S::client_certificate_data),
        api::json_field("clientKeyData", &S::client_key_data),
    };
    return table;
  }
};

struct AnswerFields {
  std::optional<StatusFields> status;

  static const api::Table& table() {
    static const api::Table table{api::json_field("status", &AnswerFields::status)};
    return table;
  }
};

std::string cluster_info(const ServerConfig& config, std::string_view authority_pem) {
  JsonObject cluster;
  cluster.text("server", config.url.text());
  if (config.server_name != config.url.endpoint.host) {
    cluster.text("tls-server-name", config.server_name);
  }
  if (config.is_insecure) {
    cluster.json("insecure-skip-tls-verify", "true");
  }
  if (!authority_pem.empty()) {
    cluster.text("certificate-authority-data", api::to_base64(authority_pem));
  }
  if (!config.exec_config.empty()) {
    cluster.json("config", config.exec_config);
  }
  return cluster.done();
}

// The last line that says something: what went wrong stands there mostly. With what follows it.
std::string last_words(std::string_view errors) {
  const std::string_view text = api::trimmed(errors);
  const std::size_t line = text.find_last_of('\n');
  const std::string_view last = line == std::string_view::npos ? text : text.substr(line + 1);
  return last.empty() ? "" : fmt::format(": {}", api::shown(api::trimmed(last)));
}

// A hint may have many lines; an error has one.
std::string in_one_line(std::string_view text) {
  constexpr std::size_t kHintMax = 500;
  std::string line(api::trimmed(text).substr(0, kHintMax));
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') {
      c = ' ';
    }
  }
  return api::printable(line);
}

Error start_error(const Error& error, const ExecPlugin& plugin) {
  switch (error.code()) {
    case ErrorCode::kNotFound:
      return no_credentials(fmt::format("{}; {}",
                                        error.text(),
                                        plugin.install_hint.empty()
                                            ? "install it, or correct 'command'"
                                            : in_one_line(plugin.install_hint)));
    case ErrorCode::kInvalid:
      return no_credentials(error.text() + "; correct 'command', or make the file executable");
    default:
      return error;
  }
}

Error end_error(const rt::ProgramEnd& end) {
  constexpr std::string_view kByHand = "; run it by hand to see more";
  switch (end.how) {
    case How::kTooLate:
      return no_credentials(
          fmt::format("did not end within {} s{}; run it by hand: perhaps it waits for a login, or "
                      "for a network that is not there",
                      kTimeMax.count(),
                      last_words(end.errors)));
    case How::kTooMuch:
      return no_credentials(
          fmt::format("wrote more than {} KiB, which is no credential", kOutputMax >> 10U));
    case How::kSignalled:
      return no_credentials(
          fmt::format("was ended by signal {}{}{}", end.code, last_words(end.errors), kByHand));
    case How::kExited:
      break;
  }
  return no_credentials(
      fmt::format("failed with exit code {}{}{}", end.code, last_words(end.errors), kByHand));
}

}  // namespace

rt::Program exec_program(const ExecPlugin& plugin,
                         const ServerConfig& config,
                         std::string_view authority_pem) {
  JsonObject spec;
  if (plugin.wants_cluster_info) {
    spec.json("cluster", cluster_info(config, authority_pem));
  }
  // Its standard input is empty.
  spec.json("interactive", "false");
  JsonObject info;
  info.text("kind", "ExecCredential")
      .text("apiVersion", plugin.api_version)
      .json("spec", spec.done());
  rt::Program program{.path = plugin.command,
                      .arguments = plugin.arguments,
                      .environment = plugin.environment,
                      .output_max = kOutputMax,
                      .time_max = kTimeMax};
  program.environment.emplace_back("KUBERNETES_EXEC_INFO", info.done());
  return program;
}

Result<ExecCredential> read_exec_credential(std::string_view output, const ExecPlugin& plugin) {
  AnswerFields answer;
  api::codec::JsonReader reader;
  const api::codec::Expected expected{.api_version = plugin.api_version, .kind = "ExecCredential"};
  if (auto read = reader.read(output, expected, AnswerFields::table(), &answer, nullptr); !read) {
    return no_credentials(fmt::format(
        "its output is no ExecCredential of {}: {}", plugin.api_version, read.error().text()));
  }
  if (!answer.status) {
    return no_credentials("its output has no status, and so no credential");
  }
  StatusFields& status = *answer.status;
  if (status.client_certificate_data.empty() != status.client_key_data.empty()) {
    return no_credentials(
        "its output has one of clientCertificateData and clientKeyData, not both");
  }
  if (status.token.empty() && status.client_key_data.empty()) {
    return no_credentials("its output has neither a token nor a certificate");
  }
  if (!std::ranges::all_of(status.token, [](char c) { return c > ' ' && c <= '~'; })) {
    return no_credentials("its token holds spaces, line breaks or other characters no token has");
  }
  ExecCredential credential{.expires = status.expiration_timestamp};
  if (!status.token.empty()) {
    credential.token = Secret(std::move(status.token));
  }
  if (!status.client_key_data.empty()) {
    credential.identity =
        net::Identity{.certificate_pem = std::move(status.client_certificate_data),
                      .key_pem = Secret(std::move(status.client_key_data))};
  }
  return credential;
}

Result<ExecCredential> take_exec_credential(const Result<rt::ProgramEnd>& end,
                                            const ExecPlugin& plugin) {
  if (!end) {
    return start_error(end.error(), plugin);
  }
  if (end->how != How::kExited || end->code != 0) {
    return end_error(*end);
  }
  return read_exec_credential(end->output, plugin);
}

}  // namespace berth::kube::config
