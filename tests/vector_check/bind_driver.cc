#include "bind_driver.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "stub_server.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/plan.h"
#include "volumes/rules.h"
#include "volumes/undo.h"
#include "volumes/wait.h"
#include "volumes/writes.h"
#include "volumes_scenario.h"
#include "volumes_world.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

// More than any row needs, to notice one that goes on for ever.
constexpr std::size_t kStepsMax = 1000;

StubServer::Target target_of(const volumes::ObjectId& object) {
  const bool is_volume = object.kind == volumes::ObjectKind::kVolume;
  return {.resource = is_volume ? "persistentvolumes" : "persistentvolumeclaims",
          .ns = object.ns,
          .name = object.name};
}

// As the answer that carries the object.
template <typename Answer>
Answer answer_with(const volumes::ObjectId& id, const json::object& object) {
  const Object read = read_object(object);
  Answer answer{.object = id};
  if (const auto* volume = std::get_if<volumes::VolumePtr>(&read)) {
    answer.volume = *volume;
  } else {
    answer.claim = std::get<volumes::ClaimPtr>(read);
  }
  return answer;
}

}  // namespace

BindDriver::BindDriver(VolumesWorld& world,
                       StubServer& server,
                       const api::Pod& pod,
                       volumes::AssumedPlan* assumed)
    : world_(world), server_(server), pod_(pod), assumed_(assumed) {}

volumes::PodFacts BindDriver::pod_facts() const {
  const PodPtr known = world_.find_pod(pod_.metadata.ns, pod_.metadata.name);
  return {.exists = known != nullptr, .uid = known == nullptr ? "" : known->metadata.uid};
}

template <typename Step, typename IsOver>
void BindDriver::drive(volumes::BindActions actions, const Step& step, const IsOver& is_over) {
  std::deque<volumes::BindAction> to_do(actions.begin(), actions.end());
  for (std::size_t steps = 0; !is_over(); ++steps) {
    if (to_do.empty() || steps == kStepsMax) {
      throw std::runtime_error("a binding that comes to no end");
    }
    // Time passes only while there is nothing else to do.
    const auto next = std::ranges::find_if(to_do, [](const volumes::BindAction& action) {
      return !std::holds_alternative<volumes::WaitUntil>(action);
    });
    const auto chosen = next == to_do.end() ? to_do.end() - 1 : next;
    const volumes::BindAction action = std::move(*chosen);
    to_do.erase(chosen);
    const volumes::BindActions more = step(answer_to(action));
    to_do.insert(to_do.end(), more.begin(), more.end());
  }
}

void BindDriver::run(volumes::Binding& binding) {
  const auto step = [this, &binding](const auto& input) {
    const volumes::Binding::Place place{
        .view = world_.catalog().now(), .pod = pod_facts(), .now = now_};
    return binding.step(input, place);
  };
  drive(
      step(volumes::Begin{}),
      [&step](const Answer& answer) { return std::visit(step, answer); },
      [&binding] { return binding.outcome().has_value(); });
}

void BindDriver::run(volumes::Undo& undo) {
  const auto step = [this, &undo](const auto& input) {
    const volumes::Undo::Place place{
        .view = world_.catalog().now(), .reliance = world_.ledger().reliance(), .now = now_};
    return undo.step(input, place);
  };
  drive(
      step(volumes::Begin{}),
      [&step](const Answer& answer) { return std::visit(step, answer); },
      [&undo] { return undo.outcome().has_value(); });
}

BindDriver::Answer BindDriver::answer_to(const volumes::BindAction& action) {
  return std::visit([this](const auto& wanted) { return perform(wanted); }, action);
}

BindDriver::Answer BindDriver::perform(const volumes::Write& write) {
  Result<json::object> stored =
      server_.patch(target_of(write.object), json::parse(volumes::merge_patch(write)).as_object());
  for (const json::object& changed : server_.take_changed()) {
    if (server_.is_seen_at_once()) {
      world_.deliver(Event{.object = read_object(changed)});
    }
  }
  if (!stored) {
    return volumes::WriteFailed{.object = write.object, .error = std::move(stored).error()};
  }
  auto written = answer_with<volumes::Written>(write.object, *stored);
  note_written(written);
  return written;
}

BindDriver::Answer BindDriver::perform(const volumes::ReadObject& read) const {
  Result<json::object> stored = server_.read(target_of(read.object));
  if (stored) {
    return answer_with<volumes::ObjectRead>(read.object, *stored);
  }
  if (stored.error().code() == ErrorCode::kNotFound) {
    return volumes::ObjectRead{.object = read.object};
  }
  return volumes::ReadFailed{.object = read.object, .error = std::move(stored).error()};
}

BindDriver::Answer BindDriver::perform(const volumes::WaitUntil& wait) {
  now_ = std::max(now_, wait.until);
  return volumes::Look{};
}

// A volume that was written stays promised until the new version is seen; a claim does not, since
// whoever writes it next has to see that version anyway.
void BindDriver::note_written(const volumes::Written& written) {
  if (assumed_ == nullptr || written.volume == nullptr) {
    return;
  }
  for (volumes::StaticBinding& binding : assumed_->volumes) {
    if (binding.volume->metadata.name == written.volume->metadata.name) {
      binding.volume = written.volume;
    }
  }
}

}  // namespace berth::vector_check
