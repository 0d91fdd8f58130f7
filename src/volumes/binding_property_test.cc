// Random plans, and everything that can happen while they are bound: conflicts, answers that are
// lost with their write applied, not applied or applied later, processes that die and are followed
// by others who know the plan's text alone, people and controllers who change the same objects.
//
// However it goes: the end is all done or all undone, but for what is said to be held (S5). Nothing
// is written without preconditions (S2; the store looks). What is others' is never touched (S2,
// S4). A plan stays with its pod and node (S1).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/binding.h"
#include "volumes/names.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/testing/api_store.h"
#include "volumes/testing/bind_run.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/undo.h"
#include "volumes/undo_scope.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

using namespace std::chrono_literals;
using testing::BindRun;
using testing::pod;
using testing::pv;
using testing::pvc;

// What the whole of the tests has seen, so that a test that no longer meets what it is for fails.
struct Seen {
  int done = 0;
  int undone = 0;
  int held = 0;
  int crashes = 0;
  int lost = 0;
  int landed_late = 0;
  int retried = 0;
};

class Story {
 public:
  Story(unsigned seed, Seen& seen) : random_(seed), seen_(seen) {}

  void tell() {
    make_world();
    text_ = *to_text(run_.plan(pod_, "n1"));
    plan_ = *plan_from_text(text_);
    bind({});
    for (int step = 0; !is_over_ && step < 3000; ++step) {
      happen(step);
      advance();
    }
    ASSERT_TRUE(is_over_) << "it has to end";
    // Whatever may still come comes now.
    while (!flying_.empty()) {
      land();
    }
    check_end();
  }

 private:
  struct Flying {
    Write write;
    Moment until;
  };

  int dice(int sides) { return std::uniform_int_distribution<int>(0, sides - 1)(random_); }
  bool one_in(int times) { return dice(times) == 0; }
  template <typename Items>
  auto& any(Items& items) {
    return items[static_cast<std::size_t>(dice(static_cast<int>(items.size())))];
  }

  // The world. -------------------------------------------------------------------------------

  void make_world() {
    auto builder = pod("a");
    const int claims = 1 + dice(3);
    for (int i = 0; i < claims; ++i) {
      const std::string name = "c" + std::to_string(i);
      builder.claim(name);
      claims_.push_back(name);
      if (one_in(2)) {
        run_.store.put(*pvc(name).of("wait-prov"));
      } else {
        run_.store.put(*pvc(name).of("wait").size(std::to_string(i + 1) + "G"));
        put_volume(i, name);
      }
    }
    pod_ = *builder;
  }

  void put_volume(int i, const std::string& claim) {
    const std::string name = "v" + std::to_string(i);
    auto volume = pv(name).of("wait").size(std::to_string(i + 1) + "G").on("n1");
    if (one_in(4)) {
      volume.names(claim);
      named_by_user_.insert(name);
    }
    if (one_in(4)) {
      volume.note(kBoundByController, "yes");
      marked_before_.insert(name);
    }
    volumes_.push_back(name);
    run_.store.put(*volume);
  }

  // What others do. --------------------------------------------------------------------------

  void happen(int step) {
    const bool is_calm = step > 400;
    if (!is_calm && foreign_left_ > 0 && one_in(6)) {
      --foreign_left_;
      interfere();
    }
    if (!is_calm && crashes_left_ > 0 && one_in(40)) {
      --crashes_left_;
      crash();
    }
    if (!flying_.empty() && one_in(3)) {
      land();
    }
    if (one_in(4) || is_calm) {
      control();
    }
    if (one_in(3)) {
      run_.store.show(run_.place.catalog);
      look();
    }
    if (one_in(5)) {
      run_.now += std::chrono::seconds(dice(is_calm ? 200 : 20));
      std::erase_if(flying_, [this](const Flying& each) { return each.until <= run_.now; });
      look();
    }
  }

  void interfere() {
    switch (dice(5)) {
      case 0:
        return take_volume();
      case 1:
        return label_something();
      case 2:
        return refuse_to_provision();
      case 3:
        run_.facts.exists = !one_in(3);
        return;
      default:
        return replace_claim();
    }
  }
  // Somebody else gets a volume that nobody has.
  void take_volume() {
    if (volumes_.empty()) {
      return;
    }
    api::PersistentVolume volume = run_.store.volume(any(volumes_));
    if (volume.spec.claim_ref) {
      return;
    }
    volume.spec.claim_ref = api::ObjectReference{.ns = "ns", .name = "other", .uid = "claim-other"};
    run_.store.put(volume);
    foreign_.insert(volume.metadata.name);
  }
  void label_something() {
    if (!volumes_.empty() && one_in(2)) {
      api::PersistentVolume volume = run_.store.volume(any(volumes_));
      volume.metadata.labels["seen"] = volume.metadata.resource_version;
      run_.store.put(volume);
      return;
    }
    api::PersistentVolumeClaim claim = run_.store.claim(any(claims_));
    claim.metadata.labels["seen"] = claim.metadata.resource_version;
    run_.store.put(claim);
  }
  void refuse_to_provision() {
    api::PersistentVolumeClaim claim = run_.store.claim(any(claims_));
    if (claim.spec.volume_name.empty()) {
      claim.metadata.annotations.erase(std::string(kSelectedNode));
      run_.store.put(claim);
    }
  }
  void replace_claim() {
    if (!one_in(4)) {
      return;
    }
    api::PersistentVolumeClaim claim = run_.store.claim(any(claims_));
    if (claim.spec.volume_name.empty() && replaced_.insert(claim.metadata.name).second) {
      claim.metadata.uid += "-again";
      claim.metadata.annotations.clear();
      run_.store.put(claim);
    }
  }

  // The PV controller and a provisioner: one step for one claim.
  void control() {
    const std::string name = any(claims_);
    const api::PersistentVolumeClaim& claim = run_.store.claim(name);
    if (!claim.spec.volume_name.empty()) {
      return;
    }
    for (const auto& [key, volume] : run_.store.volumes()) {
      const auto& reference = volume->spec.claim_ref;
      if (!reference || reference->uid != claim.metadata.uid) {
        continue;
      }
      const std::string volume_name = volume->metadata.name;
      volume->status.phase == "Bound" ? run_.store.finish_binding(volume_name, name)
                                      : run_.store.finish_volume(volume_name);
      return;
    }
    if (find_annotation(claim.metadata, kSelectedNode) != nullptr && one_in(3)) {
      run_.store.provision(name, "n1");
    }
  }

  // What happens to our own requests. --------------------------------------------------------

  void advance() {
    if (!run_.actions.empty()) {
      const auto at = static_cast<std::ptrdiff_t>(dice(static_cast<int>(run_.actions.size())));
      const BindAction action = run_.actions[static_cast<std::size_t>(at)];
      run_.actions.erase(run_.actions.begin() + at);
      perform(action);
    }
    if (binding_over()) {
      finish_binding();
    } else if (run_.undoing && run_.undoing->outcome()) {
      finish_undo();
    }
  }

  void perform(const BindAction& action) {
    if (const auto* read = std::get_if<ReadObject>(&action)) {
      if (one_in(15)) {
        run_.answer_with(
            ReadFailed{.object = read->object, .error = Error(ErrorCode::kUnavailable, "away")});
      } else {
        run_.perform(action);
      }
      return;
    }
    const Write& write = std::get<Write>(action);
    switch (dice(12)) {
      case 0:
        static_cast<void>(apply(write));
        return lose(write);
      case 1:
        flying_.push_back({write, run_.now + run_.policy.landing_max});
        return lose(write);
      case 2:
        return fail(write, one_in(4) ? ErrorCode::kForbidden : ErrorCode::kUnavailable);
      default:
        break;
    }
    auto answer = apply(write);
    answer ? run_.answer_with(*answer)
           : run_.answer_with(WriteFailed{.object = write.object, .error = answer.error()});
  }
  void lose(const Write& write) {
    ++seen_.lost;
    fail(write, ErrorCode::kUnknownOutcome);
  }
  void fail(const Write& write, ErrorCode code) {
    run_.answer_with(WriteFailed{.object = write.object, .error = Error(code, "no")});
  }
  void land() {
    const auto at = static_cast<std::ptrdiff_t>(dice(static_cast<int>(flying_.size())));
    const Write write = flying_[static_cast<std::size_t>(at)].write;
    flying_.erase(flying_.begin() + at);
    seen_.landed_late += apply(write) ? 1 : 0;
  }

  // Every write of ours passes here: what it is about to change must be ours to change.
  Result<Written> apply(const Write& write) {
    const bool is_volume = write.object.kind == ObjectKind::kVolume;
    const bool is_there = is_volume ? run_.store.has_volume(write.object.name)
                                    : run_.store.has_claim(write.object.name);
    std::optional<api::PersistentVolume> volume;
    if (is_there && is_volume) {
      volume = run_.store.volume(write.object.name);
    }
    auto answer = run_.store.apply(write);
    if (answer && volume) {
      check_touched(*volume, write);
    }
    return answer;
  }
  void check_touched(const api::PersistentVolume& before, const Write& write) {
    EXPECT_NE(write.changes.reference, Changes::Reference::kKept);
    if (before.spec.claim_ref && !before.spec.claim_ref->uid.empty()) {
      EXPECT_NE(before.spec.claim_ref->uid, "claim-other") << write.object.name;
      EXPECT_NE(before.status.phase, "Bound") << write.object.name;
      EXPECT_NE(write.changes.reference, Changes::Reference::kSet) << write.object.name;
    }
  }

  void crash() {
    ++seen_.crashes;
    // What was about to be sent was perhaps sent.
    for (const BindAction& action : run_.actions) {
      const auto* write = std::get_if<Write>(&action);
      if (write != nullptr && one_in(2)) {
        flying_.push_back({*write, run_.now + run_.policy.landing_max});
      }
    }
    const UndoScope whole = whole_scope(plan_, run_.now + run_.policy.landing_max);
    run_.undoing ? undo(whole) : bind(whole);
  }

  // From one end to the next beginning. ------------------------------------------------------

  bool binding_over() const { return !run_.undoing && run_.binding->outcome().has_value(); }
  void look() { run_.undoing ? run_.tell_undo(Look{}) : run_.tell(Look{}); }

  void bind(const UndoScope& before) {
    run_.actions.clear();
    run_.undoing = nullptr;
    run_.begin(*plan_from_text(text_), before);
  }
  void undo(const UndoScope& scope) {
    run_.actions.clear();
    scope_ = scope;
    run_.begin_undo(*plan_from_text(text_), scope);
  }
  void finish_binding() {
    const BindOutcome outcome = *run_.binding->outcome();
    const UndoScope scope = run_.binding->undo_scope();
    if (outcome.verdict == BindVerdict::kDone) {
      ++seen_.done;
      is_over_ = is_done_ = true;
    } else if (outcome.verdict == BindVerdict::kRetryHere && ++retries_ < 10) {
      ++seen_.retried;
      bind(scope);
    } else if (outcome.needs_undo || outcome.verdict == BindVerdict::kRetryHere) {
      undo(scope);
    } else {
      is_over_ = true;
      ++seen_.undone;
    }
  }
  void finish_undo() {
    const UndoOutcome outcome = *run_.undoing->outcome();
    if (!outcome.is_complete()) {
      return undo(scope_);
    }
    for (const BindReason& reason : outcome.held) {
      held_.insert(reason.claim);
      ++seen_.held;
    }
    is_over_ = true;
    ++seen_.undone;
  }

  // The end. ---------------------------------------------------------------------------------

  void check_end() {
    for (const std::string& name : foreign_) {
      EXPECT_EQ(run_.store.volume(name).spec.claim_ref->uid, "claim-other") << name;
    }
    for (const RecordedBinding& binding : plan_.bindings) {
      check_volume(binding);
    }
    for (const RecordedProvision& provision : plan_.provisions) {
      const api::PersistentVolumeClaim& claim = run_.store.claim(provision.claim.name);
      const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
      EXPECT_TRUE(selected == nullptr || *selected == "n1");
      if (!is_done_ && provision.is_ours && !held_.contains(claim_key(claim))) {
        EXPECT_EQ(selected, nullptr) << claim.metadata.name;
      }
    }
    if (is_done_) {
      for (const std::string& name : claims_) {
        EXPECT_TRUE(is_fully_bound(run_.store.claim(name))) << name;
      }
    }
  }
  void check_volume(const RecordedBinding& binding) {
    const std::string& name = binding.volume.name;
    const api::PersistentVolume& volume = run_.store.volume(name);
    if (named_by_user_.contains(name) && !foreign_.contains(name)) {
      ASSERT_TRUE(volume.spec.claim_ref.has_value()) << name;
      EXPECT_EQ(volume.spec.claim_ref->name, binding.claim.name) << name;
    }
    if (marked_before_.contains(name)) {
      EXPECT_NE(find_annotation(volume.metadata, kBoundByController), nullptr) << name;
    }
    const bool is_held = held_.contains(claim_key(binding.claim.ns, binding.claim.name));
    if (!is_done_ && !is_held && volume.spec.claim_ref) {
      EXPECT_NE(volume.spec.claim_ref->uid, binding.claim.uid) << name;
    }
    if (!is_done_ && !is_held && !marked_before_.contains(name)) {
      EXPECT_EQ(find_annotation(volume.metadata, kBoundByController), nullptr) << name;
    }
  }

  std::mt19937 random_;
  Seen& seen_;
  BindRun run_;
  api::Pod pod_;
  std::vector<std::string> claims_;
  std::vector<std::string> volumes_;
  std::set<std::string> named_by_user_;
  std::set<std::string> marked_before_;
  std::set<std::string> foreign_;
  std::set<std::string> replaced_;
  std::string text_;
  RecordedPlan plan_;
  std::vector<Flying> flying_;
  UndoScope scope_;
  std::set<std::string> held_;
  int foreign_left_ = 4;
  int crashes_left_ = 2;
  int retries_ = 0;
  bool is_over_ = false;
  bool is_done_ = false;
};

// Q07 too: conflicts and losses in plenty, and every pod gets an end.
TEST(BindingProperty, EndsAllDoneOrAllUndone) {
  Seen seen;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Story story(seed, seen);
    story.tell();
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.done, 100);
  EXPECT_GT(seen.undone, 100);
  EXPECT_GT(seen.held, 20);
  EXPECT_GT(seen.crashes, 100);
  EXPECT_GT(seen.lost, 100);
  EXPECT_GT(seen.landed_late, 20);
  EXPECT_GT(seen.retried, 50);
}

}  // namespace
}  // namespace berth::volumes
