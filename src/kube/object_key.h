// Which object of a kind.
#pragma once

#include <compare>  // IWYU pragma: keep (the defaulted <=>)
#include <string>

namespace berth::kube {

struct ObjectKey {
  std::string ns;  // empty for kinds that live in no namespace
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
  // "default/web-0", or "node-1" without a namespace.
  std::string text() const { return ns.empty() ? name : ns + "/" + name; }
};

}  // namespace berth::kube
