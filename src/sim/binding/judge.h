// Watches a run of the suite `binding` and says what must not have happened. What it knows of the
// cluster comes from the store's log of writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/bind_request.h"
#include "api/objects/pod.h"
#include "base/result.h"
#include "rt/time.h"
#include "sim/late_writes.h"
#include "world/cluster.h"
#include "world/store.h"

namespace berth::sim::binding {

class Judge {
 public:
  explicit Judge(world::Cluster& cluster);
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  ~Judge();

  const std::vector<std::string>& violations() const { return violations_; }
  const LateWrites& late_writes() const { return late_writes_; }
  void violation(std::string what);
  // The same, with who waits for what, the first time.
  void stalled(std::string what);
  void note(const std::string& process, std::string_view what);

  void elected(const std::string& process);
  // So many processes may act as the leader now.
  void leaders(std::size_t count);

  // At quiescence: every order that is there has come to its end, and the true one.
  void check_end();

 private:
  using Uid = std::string;

  void follow_log();
  void take(const world::Change& change);
  void take_order(const world::Change& change);
  void take_pod(const world::Change& change);
  void check_step(const api::BindRequest& before, const api::BindRequest& after);
  void check_success(const api::BindRequest& order);
  void check_failure(const api::BindRequest& order);
  // Whether the reason of a failure was so at some time since the order was given.
  bool is_true(const api::BindRequest& order) const;
  // A binding of a process under test was applied.
  void check_binding(const world::Write& write);
  void sent(const world::Write& write);
  void landed(const world::Write& write, const Result<std::string>& outcome);
  void landed_late(const world::Write& write, bool is_applied);
  // The order means this instance of the pod.
  static bool means(const api::BindRequest& order, const api::Pod& pod);
  const api::Pod* pod_of(const api::BindRequest& order) const;

  world::Cluster& cluster_;
  std::uint64_t subscription_;
  std::uint64_t known_;  // up to which write
  std::vector<std::string> violations_;
  bool has_stalled_ = false;
  bool has_told_of_leaders_ = false;

  // One name, and since when it is there or is not.
  struct Presence {
    bool is_there = false;
    std::uint64_t since = 0;  // which write
  };
  using Names = std::map<std::string, Presence>;
  // An order as it was last.
  struct Order {
    api::BindRequest object;
    std::uint64_t created = 0;       // which write
    std::optional<rt::Time> gone{};  // true time
  };

  // It was there all the time since that write.
  static bool was_there(const Names& names, const std::string& name, std::uint64_t since);

  std::map<std::string, api::Pod> pods_;  // that are there, by name
  Names pod_names_;
  Names node_names_;
  std::map<Uid, Order> orders_;                // all that ever were
  std::map<Uid, api::Pod> bound_;              // pods that were
  std::map<Uid, std::uint64_t> removed_;       // pods: by which write
  std::map<Uid, std::string> bound_by_us_;     // pods: to which node
  std::map<std::string, rt::Time> last_sent_;  // by sender and text of the write; true time

  std::uint64_t elections_ = 0;
  std::map<std::string, std::uint64_t> epochs_;      // by process, also of those that have ended
  std::map<std::string, std::uint64_t> written_by_;  // object: the newest leader that wrote it
  LateWrites late_writes_;
};

}  // namespace berth::sim::binding
