// Drives the engine's state machines of binding and undoing against a stub server, in virtual time:
// one action after the other, in the order in which they were asked for.
#pragma once

#include <variant>

#include "api/objects/pod.h"
#include "stub_server.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/plan.h"
#include "volumes/undo.h"
#include "volumes_scenario.h"
#include "volumes_world.h"

namespace berth::vector_check {

class BindDriver {
 public:
  // All outlive it. What is written shows in `assumed`; null where nothing was assumed.
  BindDriver(VolumesWorld& world,
             StubServer& server,
             const api::Pod& pod,
             volumes::AssumedPlan* assumed);

  // To the end. Throws if the machine never comes to one.
  void run(volumes::Binding& binding);
  void run(volumes::Undo& undo);

  // Of the pod, as the informers have it.
  volumes::PodFacts pod_facts() const;

 private:
  using Answer = std::variant<volumes::Written,
                              volumes::WriteFailed,
                              volumes::ObjectRead,
                              volumes::ReadFailed,
                              volumes::Look>;

  // `step` takes an answer and gives actions; `is_over` says whether there was an end.
  template <typename Step, typename IsOver>
  void drive(volumes::BindActions actions, const Step& step, const IsOver& is_over);
  Answer answer_to(const volumes::BindAction& action);
  Answer perform(const volumes::Write& write);
  Answer perform(const volumes::ReadObject& read) const;
  Answer perform(const volumes::WaitUntil& wait);
  void note_written(const volumes::Written& written);

  VolumesWorld& world_;
  StubServer& server_;
  const api::Pod& pod_;
  volumes::AssumedPlan* assumed_;
  volumes::Moment now_{};
};

}  // namespace berth::vector_check
