#include "sim/binding/process.h"

#include <chrono>
#include <string>
#include <utility>

#include "api/objects/bind_request.h"
#include "binder/outcome.h"
#include "binder/service.h"
#include "kube/elector_state.h"
#include "kube/typed.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "sim/binding/judge.h"
#include "sim/binding/mistakes.h"
#include "sim/machines.h"
#include "world/cluster.h"

namespace berth::sim::binding {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

binder::ServiceOptions service_options(const std::string& name, Judge& judge, Mistake mistake) {
  binder::ServiceOptions options;
  options.election =
      kube::ElectorOptions{.lease = {.ns = "kube-system", .name = "binder"}, .identity = name};
  options.informers.watcher.page_size = 3;
  options.binder.workers = 4;
  options.binder.on_said = [name, &judge](const api::BindRequest& order,
                                          const binder::Outcome& outcome,
                                          rt::Duration /*took*/) {
    judge.note(name,
               "says of " + kube::key_of(order).text() +
                   (outcome.is_bound ? " bound" : " failed: " + outcome.reason));
  };
  options.on_leading = [name, &judge] { judge.elected(name); };
  if (mistake == Mistake::kTrustsThePredecessor) {
    options.binder.predecessor_max = {};
  }
  return options;
}

}  // namespace

Process::Process(ProgramStart start, world::Cluster& cluster, Judge& judge, Mistake mistake)
    : process_(start.process),
      name_(std::move(start.name)),
      crash_(std::move(start.crash)),
      judge_(judge),
      client_(cluster, process_, name_, crash_),
      careless_(client_, mistake),
      service_(process_, careless_, service_options(name_, judge, mistake)),
      scope_(process_, name_) {
  scope_.spawn("service", run());
}

rt::Task<void> Process::run() {
  const binder::Service::End end = co_await service_.run(stop_.token());
  if (end == binder::Service::End::kStopped) {
    co_return;
  }
  // Who has lost its lease begins anew, but not in the same moment.
  judge_.note(name_, "leads no more");
  const rt::Duration linger = process_.random().between(milliseconds(0), seconds(5));
  co_await rt::sleep_for(process_, linger, stop_.token());
  crash_();
}

}  // namespace berth::sim::binding
