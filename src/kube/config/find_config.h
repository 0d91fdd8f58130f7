// Which server is meant, of all that a machine may know.
//
// The first of these that is there:
//   1. the file given by name (--kubeconfig); it must exist
//   2. the files of KUBECONFIG, merged; those that do not exist are left out, one must
//   3. the service account of the pod we run in; not if a context is asked for by name
//   4. ~/.kube/config
#pragma once

#include <string>

#include "base/result.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"

namespace berth::kube::config {

struct ConfigChoice {
  std::string kubeconfig;  // a path; empty: find one
  std::string context;     // empty: the current one
};

// Where Kubernetes mounts what a pod needs to know.
inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// kNotFound: nothing says where a server is; kInvalid: what says it is wrong. Texts say what to do.
Result<ServerConfig> find_config(const ConfigChoice& choice, const Surroundings& surroundings);

}  // namespace berth::kube::config
