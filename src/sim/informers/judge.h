// Watches a run of the suite `informers` and says what must not have happened.
//
// The truth is the store's log of writes. Nothing the judge knows of the cluster comes through a
// list or a watch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/result.h"
#include "rt/time.h"
#include "sim/informers/subject.h"
#include "sim/informers/wish.h"
#include "sim/late_writes.h"
#include "world/cluster.h"
#include "world/store.h"

namespace berth::sim::informers {

class Judge {
 public:
  explicit Judge(world::Cluster& cluster);
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  ~Judge();

  const std::vector<std::string>& violations() const { return violations_; }
  void violation(std::string what);
  // The same, of a run that should have come further: with who waits for what, the first time.
  void stalled(std::string what);
  // Adds a line of a process to the trace.
  void note(const std::string& process, std::string_view what);

  // Every object of the store, from its log.
  const State& truth() const { return truth_; }
  const LateWrites& late_writes() const { return late_writes_; }

  // Handlers of informers. ---------------------------------------------------------------------

  // A handler of `process` was told that the object is now so.
  void told(const std::string& process, const Subject& subject, const Seen& now);
  // It was told that the object of that uid is gone, by a list or an event of that version.
  void told_gone(const std::string& process,
                 const Subject& subject,
                 const std::string& uid,
                 std::uint64_t version);
  // It was told by a new list while its store held this of the kind.
  void told_by_relist(const std::string& process, const api::Kind& kind, const State& holds);

  // Workers. -----------------------------------------------------------------------------------

  void begin_work(const std::string& process, const Subject& subject);
  void end_work(const std::string& process, const Subject& subject, const Seen& handled);

  // An event of `reason` about the object of that uid was recorded.
  void recorded(const std::string& process, const std::string& uid, const std::string& reason);

  // Leaders. -----------------------------------------------------------------------------------

  // The process leads from now on; its number among all elections.
  std::uint64_t elected(const std::string& process);
  // So many processes may act as the leader now, at one true time.
  void fences_up(std::size_t count);
  void sent(const world::Write& write);
  void landed(const world::Write& write, const Result<std::string>& outcome);

  void started(const std::string& process) { processes_[process] = {}; }
  // The process has ended, whatever way.
  void ended(const std::string& process);

  // At quiescence: a process that runs holds, and has handled, exactly the truth.
  void check_follower(const std::string& process, const State& holds);
  // At quiescence: the cluster is as whoever leads wants it.
  void check_wishes();

  static constexpr rt::Duration kRenewDeadline = std::chrono::seconds(10);

 private:
  struct Process {
    std::map<Subject, std::uint64_t> told;             // the newest version of each
    std::map<std::string_view, std::uint64_t> newest;  // of each kind, that a handler was told of
    std::set<Subject> in_work;
    std::map<Subject, Seen> handled;
  };

  // Reads what was written since.
  void follow_log();
  void take(const world::Change& change);
  void take_event(const world::Change& change);
  // The last moment at which it may not send any more, by its own clock.
  rt::Time deadline_of(const std::string& process) const;
  // An applied or refused write of the leader of an election.
  void landed_of_leader(const world::Write& write, std::uint64_t epoch, bool is_applied);
  // Whether it does no harm that the write of an earlier leader was applied after one of a later
  // leader to the same object.
  bool is_harmless(const world::Write& write) const;
  void check_handled(const std::string& process);

  world::Cluster& cluster_;
  std::uint64_t subscription_;
  std::vector<std::string> violations_;
  bool has_stalled_ = false;
  bool has_told_of_fences_ = false;
  std::uint64_t known_;  // up to which write
  State truth_;
  Objects objects_;                           // the last state of each, also of those that are gone
  std::map<Subject, std::uint64_t> created_;  // at which write
  std::map<std::string, std::uint64_t> gone_;  // uids: at which write
  std::map<std::string, Process> processes_;

  // Who recorded what about whom: how often, and how often all its Event objects say.
  struct Occurrences {
    std::uint64_t recorded = 0;
    std::map<Subject, std::uint64_t> said;
  };
  std::map<std::string, Occurrences> events_;

  std::uint64_t elections_ = 0;
  // By process, also of those that have ended: their writes may still be under way.
  std::map<std::string, std::uint64_t> epochs_;
  std::map<std::string, rt::Time> renewed_;      // by the process's own clock
  std::map<Subject, std::uint64_t> written_by_;  // the newest leader whose write was applied
  LateWrites late_writes_;
};

}  // namespace berth::sim::informers
