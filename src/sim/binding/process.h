// One binder process under test.
#pragma once

#include <functional>
#include <string>

#include "binder/service.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "sim/binding/judge.h"
#include "sim/binding/mistakes.h"
#include "sim/machines.h"
#include "world/cluster.h"
#include "world/in_process_client.h"

namespace berth::sim::binding {

class Process final : public Program {
 public:
  // All of them outlive it.
  Process(ProgramStart start, world::Cluster& cluster, Judge& judge, Mistake mistake);

  void cancel() override { stop_.cancel(); }
  bool has_ended() const override { return scope_.size() == 0; }
  bool is_leader() const override { return service_.is_leader(); }

 private:
  rt::Task<void> run();

  rt::Runtime& process_;
  std::string name_;
  std::function<void()> crash_;
  Judge& judge_;
  world::InProcessClient client_;
  CarelessClient careless_;
  binder::Service service_;
  rt::CancelSource stop_;
  rt::Scope scope_;  // last: what runs in it uses all of the above
};

}  // namespace berth::sim::binding
