// Whatever says where a server is and who we are: kubeconfig files, the address of a server, the
// answer of an exec plugin. The first byte chooses which.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input.h"
#include "kube/config/choose.h"
#include "kube/config/exec_credential.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/config/server_url.h"

using berth::fuzz::require;
namespace config = berth::kube::config;

namespace {

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void check_url(std::string_view text) {
  const auto url = config::parse_server_url(text);
  if (!url) {
    return;
  }
  require(is_printable(url->text()), "an address prints");
  require(url->endpoint.port != 0 && !url->endpoint.host.empty(), "an address has host and port");
  const auto again = config::parse_server_url(url->text());
  require(again && again->text() == url->text(), "an address reads back");
}

// What is sent and run is what a file could mean.
void check_server(const config::ServerConfig& server) {
  check_url(server.url.text());
  require(server.url.is_tls || server.url.is_loopback() || server.is_insecure,
          "nothing goes out in the clear unless asked for");
  require(server.url.is_tls || server.url.is_loopback() ||
              (server.token.empty() && server.token_file.empty() && !server.exec),
          "credentials are never sent in the clear");
  for (const auto& header : server.impersonation) {
    require(is_printable(header.name) && is_printable(header.value), "a header is one line");
  }
  require(is_printable(server.token.reveal()), "a token is one line");
  require(server.certificate.is_empty() == server.key.is_empty(), "a certificate has its key");
  if (server.exec) {
    const auto program = config::exec_program(*server.exec, server, "CA");
    require(!program.path.empty() && program.path.find('\0') == std::string::npos,
            "a plugin has a name");
  }
}

void check_kubeconfig(std::string_view text) {
  const auto file = config::read_kubeconfig(text, "/f/config");
  if (!file) {
    require(file.error().text().starts_with("/f/config: "), "an error names its file");
    return;
  }
  const auto twice = config::merged({*file, *file});
  require(twice.current_context == file->current_context &&
              twice.clusters.size() == file->clusters.size() &&
              twice.users.size() == file->users.size() &&
              twice.contexts.size() == file->contexts.size(),
          "a file merged with itself is itself");
  std::vector<std::string> names{""};
  for (const auto& [name, context] : file->contexts) {
    names.push_back(name);
  }
  for (const std::string& name : names) {
    if (const auto server = config::choose(twice, name)) {
      check_server(*server);
    }
  }
}

void check_plugin_output(std::string_view text) {
  const config::ExecPlugin plugin{.api_version = "client.authentication.k8s.io/v1",
                                  .command = "login"};
  const auto credential = config::read_exec_credential(text, plugin);
  if (credential) {
    require(credential->token || credential->identity, "a credential shows something");
    require(!credential->token || is_printable(credential->token->reveal()), "a token is one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'u':
      check_url(rest);
      break;
    case 'p':
      check_plugin_output(rest);
      break;
    default:
      check_kubeconfig(rest);
  }
  return 0;
}
