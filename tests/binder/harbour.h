// For tests: a store, a binder that works on it in virtual time, and a say in what becomes of each
// of its requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "binder/binder.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/direct_client.h"
#include "world/store.h"

namespace berth::binder {

// What becomes of a request.
struct Fate {
  std::optional<Error> refused;          // it is not applied
  bool is_lost = false;                  // it is applied and nobody hears of it
  std::optional<rt::Duration> lands_in;  // it is applied so much later; its sender is told at once
                                         // that nobody knows
  rt::Duration takes{};                  // before anything becomes of it
};

// A client between a binder and the store that asks `fate` about every call. Calls are named
// "get Pod a", "bind a", "status a".
class FatedClient final : public kube::Client {
 public:
  FatedClient(rt::Runtime& runtime, world::Store& store)
      : runtime_(runtime), direct_(store, runtime), scope_(runtime, "late writes") {}

  std::function<Fate(const std::string& call)> fate = [](const std::string&) { return Fate{}; };
  std::vector<std::string> calls;
  std::optional<Error> lists_refused;

  // Caches learn nothing new of a kind meanwhile.
  void hold(const api::Kind& kind) { open(kind).reset(); }
  void release(const api::Kind& kind) { open(kind).set(); }
  // But for one event.
  void pass_one(const api::Kind& kind);

  rt::Task<Result<kube::Document>> get(kube::GetRequest request, rt::Until until) override;
  rt::Task<Result<kube::ListPage>> list(kube::ListRequest request, rt::Until until) override {
    return lists_refused ? refuse(*lists_refused) : direct_.list(std::move(request), until);
  }
  rt::Task<Result<std::unique_ptr<kube::Watch>>> watch(kube::WatchRequest request,
                                                       rt::Until until) override;
  rt::Task<Result<kube::Document>> create(kube::CreateRequest request, rt::Until until) override;
  rt::Task<Result<kube::Document>> patch(kube::PatchRequest request, rt::Until until) override;
  rt::Task<Result<void>> remove(kube::RemoveRequest request, rt::Until until) override {
    return direct_.remove(std::move(request), until);
  }

 private:
  class HeldWatch;
  using Write = std::function<rt::Task<Result<kube::Document>>(rt::Until)>;
  rt::Event& open(const api::Kind& kind);
  Fate fate_of(std::string call);
  static rt::Task<Result<kube::ListPage>> refuse(Error why) { co_return why; }
  rt::Task<rt::Wake> take_time(rt::Duration takes, rt::Until until);
  rt::Task<Result<kube::Document>> write(std::string call, Write write, rt::Until until);
  static rt::Task<void> land(rt::Runtime* runtime, Write write, rt::Duration delay);

  rt::Runtime& runtime_;
  world::DirectClient direct_;
  std::map<std::string_view, rt::Event> open_;  // by kind
  std::string_view passes_one_;                 // kind
  rt::Scope scope_;
};

class Harbour {
 public:
  explicit Harbour(BinderOptions options = {}, Predecessor predecessor = Predecessor::kNone);

  // Objects, made and read past every fault. Pods and nodes are made by name.
  void make_node(const std::string& name);
  void make_pod(const std::string& name, std::string_view spec = "", std::string_view meta = "");
  // An order named like its pod.
  void order(const std::string& pod, const std::string& node, std::string_view spec = "");
  void create(const std::string& kind, const std::string& body);
  void bind_by_hand(const std::string& pod, const std::string& node);
  void remove_pod(const std::string& name);
  void remove_node(const std::string& name);
  void remove_order(const std::string& name);
  // What somebody else writes into an order: a label, or a last status.
  void touch_order(const std::string& name);
  void close_order(const std::string& name);
  api::Pod pod(const std::string& name) const;
  api::BindRequest order_of(const std::string& name) const;

  // The binder runs after a while: until then it is on standby.
  void start(rt::Duration standby = {});
  void run_for(rt::Duration duration) { simulation_.run_for(duration); }
  // Long enough for everything that happens by itself.
  void run() { run_for(std::chrono::minutes(5)); }

  // How often a call was made.
  std::size_t count(const std::string& call) const;

  rt::Simulation& simulation() { return simulation_; }
  FatedClient& client() { return client_; }
  Binder& binder() { return *binder_; }
  rt::CancelSource& stop() { return stop_; }
  bool has_ended() const { return has_ended_; }

 private:
  rt::Task<void> run_binder(rt::Duration standby);
  template <typename Object>
  Object read(const std::string& name) const;

  rt::Simulation simulation_{1};
  Predecessor predecessor_;
  world::Store store_;
  FatedClient client_;
  kube::Informers informers_;
  std::unique_ptr<Binder> binder_;
  rt::CancelSource stop_;
  bool has_ended_ = false;
  rt::Scope scope_;
};

}  // namespace berth::binder
