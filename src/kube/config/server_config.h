// Which server, and who we are there: everything that is needed to make a connection.
#pragma once

#include <optional>
#include <string>

#include "base/secret.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_url.h"
#include "net/http.h"

namespace berth::kube::config {

struct ServerConfig {
  // What it is called: for messages.
  std::string context;  // of the kubeconfig, or "in-cluster"
  std::string cluster;  // "cluster 'prod' in /home/me/.kube/config"
  std::string user;     // "user 'me' in /home/me/.kube/config"

  std::string ns;  // the context's, or the pod's; empty: none is said
  ServerUrl url;
  std::string server_name;  // what the certificate of the server is for
  bool is_insecure = false;
  Material authority;  // empty: those the system trusts
  Material certificate;
  Material key;
  Secret token;            // empty: none
  std::string token_file;  // read again and again; wins over the token
  std::optional<ExecPlugin> exec;
  std::string exec_config;  // what the cluster has for the plugin, JSON
  net::Headers impersonation;
};

}  // namespace berth::kube::config
