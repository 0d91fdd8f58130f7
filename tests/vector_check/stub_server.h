// The API server of a row's `bind`: it answers writes as the recorded one did.
//
// A change gets the next version (10001, 10002, ...), a write that changes nothing keeps the one
// there is, an outdated version is a conflict, and writes that the row names fail.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "volumes_scenario.h"

namespace berth::vector_check {

class StubServer {
 public:
  // `objects` as in the row, lists by resource.
  StubServer(const boost::json::object& objects, const BindInput& input);

  struct Target {
    std::string resource;
    std::string ns;  // empty for volumes
    std::string name;
  };

  // A merge patch; the version and the uid in it must be those of the object. The answer is what
  // is stored then.
  Result<boost::json::object> patch(const Target& target, const boost::json::object& patch);
  Result<boost::json::object> read(const Target& target) const;

  // All writes so far, as rows record them.
  const boost::json::array& writes() const { return writes_; }
  // Whether informers see each change before its answer comes; else they see none of them.
  bool is_seen_at_once() const { return input_.has_instant_controller; }
  // What watches would bring since the last call.
  std::vector<boost::json::object> take_changed();

 private:
  // The versions of an object, the newest last. The first is the scenario's.
  using Versions = std::vector<boost::json::object>;

  Versions* find(const Target& target);
  const Versions* find(const Target& target) const;
  // Why the write that comes next is refused.
  Result<void> check(const Target& target, const boost::json::object& patch) const;
  const boost::json::object& store(Versions& versions, boost::json::object object);
  void finish_binding(const Target& target);
  void finish_volume(const boost::json::object& volume);
  void finish_claim(const boost::json::object& claim);
  void bind_claim(const std::string& key, std::string_view volume);

  const BindInput input_;
  std::map<std::string, Versions> objects_;  // by resource and claim_key()
  std::int64_t last_version_ = 10000;
  boost::json::array writes_;
  std::vector<boost::json::object> changed_;
};

}  // namespace berth::vector_check
