// kubeconfig files: what is in one, and what several of them say together.
//
// Pure: a text and the name of its file go in. Errors name the file, the cluster, user or context,
// and the field: "/home/me/.kube/config: user 'me': token: expected a string".
//
// Fields nobody knows are skipped. Those that look like a slip of the pen for one we know, where
// that one is missing, are kept as `slips`: whoever needs what is missing tells of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "base/result.h"
#include "base/secret.h"

namespace berth::kube::config {

// A certificate or a key: in the kubeconfig itself, or in a file of its own. Paths are absolute, or
// start from the working folder.
struct Material {
  std::string path;
  Secret data;  // wins over the path

  bool is_empty() const { return path.empty() && data.empty(); }
};

struct Cluster {
  std::string server;
  std::string tls_server_name;
  bool is_insecure = false;  // insecure-skip-tls-verify
  Material authority;
  std::string proxy_url;
  // What the extension client.authentication.k8s.io/exec holds for the plugin, JSON; or empty.
  std::string exec_config;
};

// A program that says who we are.
struct ExecPlugin {
  std::string api_version;
  std::string command;  // a path, or a name to be found in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string install_hint;
  bool wants_cluster_info = false;
  std::string interactive_mode;  // "Never", "IfAvailable", "Always", or empty
};

struct User {
  Material certificate;
  Material key;
  Secret token;
  std::string token_file;
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  api::Map<std::vector<std::string>> as_extra;
  bool has_password = false;       // username and password
  bool has_auth_provider = false;  // auth-provider
  std::optional<ExecPlugin> exec;
};

struct Context {
  std::string cluster;
  std::string user;
  std::string ns;
};

template <typename Value>
struct Entry {
  Value value;
  std::string file;
  std::vector<std::string> slips;  // "'tokn' (is 'token' meant?)"
};

struct Kubeconfig {
  std::string current_context;
  api::Map<Entry<Cluster>> clusters;
  api::Map<Entry<User>> users;
  api::Map<Entry<Context>> contexts;
  std::vector<std::string> slips;  // of the file itself, with its name
};

// An empty text is an empty kubeconfig, as for kubectl.
Result<Kubeconfig> read_kubeconfig(std::string_view text, const std::string& file);

// As kubectl merges: of each cluster, user, context and of current-context the first that is there
// counts, whole.
Kubeconfig merged(std::vector<Kubeconfig> configs);

}  // namespace berth::kube::config
