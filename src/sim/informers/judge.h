// Watches a run of the suite `informers` and says what must not have happened.
//
// The truth is the store's log of writes. Nothing the judge knows of the cluster comes through a
// list or a watch.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/kind.h"
#include "base/hash_map.h"
#include "base/result.h"
#include "kube/object_key.h"
#include "rt/time.h"
#include "world/cluster.h"
#include "world/store.h"

namespace berth::sim::informers {

// An object of any kind.
struct Subject {
  const api::Kind* kind = nullptr;
  kube::ObjectKey key;

  auto operator<=>(const Subject& other) const {
    return std::tie(kind->name, key) <=> std::tie(other.kind->name, other.key);
  }
  bool operator==(const Subject& other) const { return (*this <=> other) == 0; }
  std::string text() const { return std::string(kind->name) + " " + key.text(); }
};

inline std::size_t hash_value(const Subject& subject) {
  std::size_t hash = TextHash{}(subject.kind->name);
  boost::hash_combine(hash, TextHash{}(subject.key.ns));
  boost::hash_combine(hash, TextHash{}(subject.key.name));
  return hash;
}

// What a process holds of an object: which one and how new. No version: it is not there.
struct Seen {
  std::string uid;
  std::uint64_t version = 0;

  bool operator==(const Seen&) const = default;
};
using State = std::map<Subject, Seen>;

std::uint64_t number_of(std::string_view resource_version);

class Judge {
 public:
  explicit Judge(world::Cluster& cluster);
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  ~Judge();

  const std::vector<std::string>& violations() const { return violations_; }
  void violation(std::string what);

  // Every object of the store, from its log.
  const State& truth() const { return truth_; }

  // Handlers of informers. ---------------------------------------------------------------------

  // A handler of `process` was told that the object is now so.
  void told(const std::string& process, const Subject& subject, const Seen& now);
  // It was told by a new list while its store held this of the kind.
  void told_by_relist(const std::string& process, const api::Kind& kind, const State& holds);

  // Workers. -----------------------------------------------------------------------------------

  void begin_work(const std::string& process, const Subject& subject);
  void end_work(const std::string& process, const Subject& subject, const Seen& handled);

  // Leaders. -----------------------------------------------------------------------------------

  // The process leads from now on; its number among all elections.
  std::uint64_t elected(const std::string& process);
  void sent(const world::Write& write);
  void landed(const world::Write& write, const Result<std::string>& outcome);

  void started(const std::string& process) { processes_[process] = {}; }
  // The process has ended, whatever way.
  void ended(const std::string& process);

  // At quiescence: a process that runs holds, and has handled, exactly the truth.
  void check_follower(const std::string& process, const State& holds);

  // Written by leaders: the number of their election.
  static constexpr std::string_view kEpoch = "sim.berth.dev/epoch";
  static constexpr rt::Duration kRenewDeadline = std::chrono::seconds(10);

 private:
  struct Process {
    std::map<Subject, std::uint64_t> told;             // the newest version of each
    std::map<std::string_view, std::uint64_t> newest;  // of each kind, that a handler was told of
    std::set<Subject> in_work;
    std::map<Subject, Seen> handled;
    // By its own clock.
    rt::Time renewed = rt::Time::min();
  };

  // Reads what was written since.
  void follow_log();
  void take(const world::Change& change);

  world::Cluster& cluster_;
  std::uint64_t subscription_;
  std::vector<std::string> violations_;
  std::uint64_t known_;  // up to which write
  State truth_;
  std::map<Subject, std::uint64_t> created_;  // at which write
  std::map<std::string, Process> processes_;
  std::uint64_t elections_ = 0;
};

}  // namespace berth::sim::informers
