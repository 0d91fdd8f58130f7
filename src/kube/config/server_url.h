// Where a server is, as `server` in a kubeconfig says it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/tcp.h"

namespace berth::kube::config {

struct ServerUrl {
  bool is_tls = true;
  net::Endpoint endpoint;
  std::string base_path;  // "" or "/k8s/clusters/c-1", without a slash at its end

  std::string text() const;  // "https://127.0.0.1:6443/k8s/clusters/c-1"
  // Bytes to it do not leave this machine.
  bool is_loopback() const;
};

// "https://host:port/path"; without a scheme https is meant, without a port 443, or 80 of http.
Result<ServerUrl> parse_server_url(std::string_view text);

}  // namespace berth::kube::config
