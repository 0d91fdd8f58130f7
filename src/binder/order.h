// The rules on a BindRequest, an order to put one pod onto one node: whether there is something to
// be done, and whether it can be. Nobody is asked; what is known is passed in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/objects/bind_request.h"
#include "api/objects/pod.h"
#include "kube/object_key.h"

namespace berth::binder {

inline constexpr std::string_view kPhaseSucceeded = "Succeeded";
inline constexpr std::string_view kPhaseFailed = "Failed";

// Something is to be done: it is not being deleted, has not succeeded, and has not failed for good.
// A phase that we do not know means that too.
bool is_open(const api::BindRequest& order);

// The pod it names.
kube::ObjectKey pod_of(const api::BindRequest& order);

// Why nobody could fulfil it, whatever the cluster is like; nothing when somebody could.
std::optional<std::string> flaw_of(const api::BindRequest& order);

// The pod is to be bound,
struct ToBind {};
// is bound already, to this node,
struct IsBound {
  std::string node;
};
// or will never be, by this order.
struct IsRefused {
  std::string reason;
};
using Judgement = std::variant<ToBind, IsBound, IsRefused>;

// `pod` is nullptr where there is none of the name.
Judgement judge(const api::BindRequest& order, const api::Pod* pod);

// As the errors of Kubernetes say it: `Pod "web-0" not found`.
std::string not_found(std::string_view kind, std::string_view name);

}  // namespace berth::binder
