// Everybody else: a scheduler that makes pods and orders and plans anew what has failed, users who
// remove pods, nodes that go, and another binder. They write past the network: it is not they who
// are tried.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"
#include "kube/object_key.h"
#include "rt/cancel.h"
#include "rt/task.h"
#include "world/cluster.h"

namespace berth::sim::binding {

class Orders {
 public:
  explicit Orders(world::Cluster& cluster) : cluster_(cluster) {}

  void make_nodes();
  rt::Task<void> run(rt::CancelToken token);

 private:
  void act();
  // Does what schedulers do about an order that has failed: takes it away and tries another node.
  void replan();
  void order(const std::string& pod, const std::string& node);
  void make_pod(const std::string& name);
  void remove_pod(const std::string& name);
  void bind_elsewhere(const std::string& pod);
  void toggle_node();
  void touch_order(const std::string& name);
  std::string draw_pod();
  std::string draw_node();

  // The text of an object, empty when there is none.
  std::string read(const api::Kind& kind, const kube::ObjectKey& key) const;
  void create(const api::Kind& kind,
              const kube::ObjectKey& key,
              std::string_view subresource,
              std::string body);
  void remove(const api::Kind& kind, const kube::ObjectKey& key);

  world::Cluster& cluster_;
};

}  // namespace berth::sim::binding
