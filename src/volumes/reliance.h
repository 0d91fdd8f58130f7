// Which plans rely on which writes. Pods may share a claim: what one of them writes for it the
// others find as they want it, and whoever gives up first must not take it from them.
//
//   reliance.rely(owner, plan)     from when it is promised (the Ledger does)
//   reliance.share(owner, plan)    before it is recorded (the Ledger does)
//   scope = reliance.give_up(owner, plan, binding.undo_scope());   ... Undo(plan, scope, policy)
//   reliance.forget(owner)         when it is bound or undone (the Ledger does, in revert)
//
// A plan that was given up relies on nothing any more. What it has written and others rely on is
// theirs to take back from then on: the last one does. So nothing is taken from a plan that may
// still work, and nothing is left behind when none does.
//
// One for each process, on one thread. After a crash it is filled from the recorded plans.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_map.h"
#include "volumes/recorded_plan.h"
#include "volumes/undo_scope.h"
#include "volumes/writes.h"

namespace berth::volumes {

// How a plan wants an object to be.
struct Need {
  ObjectId object;
  std::string uid;    // of the object
  std::string value;  // the uid of the claim a volume points at, or the node a claim asks for

  auto operator<=>(const Need&) const = default;
};
Need need_of(const RecordedBinding& binding);
Need need_of(const RecordedProvision& provision, std::string_view node);

class Reliance {
 public:
  // `pod` is "namespace/name", for people. What was written for the same and is being taken back
  // stays, and is this owner's from now on.
  void rely(const std::string& owner, const std::string& pod, std::vector<Need> needs);
  // The same for a plan that was recorded.
  void rely(const std::string& owner, const RecordedPlan& plan);

  // Completes a plan that was just made: what it found as it wants it because another plan wrote
  // it is its own too, as that plan recorded it.
  void share(const std::string& owner, RecordedPlan& plan);

  // The plan is to be undone, as far as `scope` says; the answer has also what others wrote for it
  // and left. Where that is empty nothing is to be undone. An owner that nobody knows is known from
  // then on.
  UndoScope give_up(const std::string& owner, const RecordedPlan& plan, UndoScope scope);

  void forget(const std::string& owner);

  // The pod of a plan that needs it so and was not given up; nothing when there is none.
  std::optional<std::string> find_user(const Need& need) const;

 private:
  // How much of an object is a plan's own to take back.
  struct Share {
    std::string reference;
    bool adds_mark = false;
    std::string claim_version;
    std::optional<std::string> before;
  };
  struct User {
    std::string owner;
    std::string pod;
    bool has_given_up = false;
    bool is_written = false;     // something that this owner has to take back may be there
    std::optional<Share> share;  // nothing when it is not its own
  };

  static Share share_of(const RecordedBinding& binding);
  static Share share_of(const RecordedProvision& provision);
  User* find(const std::string& owner, const Need& need);
  void hand_over(const User& from, const Need& need);
  // Gives this need up; whether it is to be undone.
  bool leave(const std::string& owner, const Need& need, bool is_written);

  std::map<Need, std::vector<User>> users_;
  HashMap<std::string, std::vector<Need>> needs_;  // by owner
};

}  // namespace berth::volumes
