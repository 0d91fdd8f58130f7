// Where requests go: the path and query of each call, as Kubernetes wants them.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"

namespace berth::kube::http {

// "/api/v1/namespaces/shop/pods", "/apis/storage.k8s.io/v1/storageclasses"
std::string path_of(const api::Kind& kind, std::string_view ns);
// The same of one object, perhaps of a subresource of it. An error when the key does not name one:
// a path with an empty name means all of them.
Result<std::string> path_of(const api::Kind& kind,
                            const ObjectKey& key,
                            std::string_view subresource);

std::string list_path(const ListRequest& request);
std::string watch_path(const WatchRequest& request);
Result<std::string> create_path(const CreateRequest& request);

}  // namespace berth::kube::http
