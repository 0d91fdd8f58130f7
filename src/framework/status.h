// What a plugin answers: a code that decides and reasons that explain.
//
//   inline constexpr ReasonKind kTooFew{.id = "InsufficientResource", .text = "Insufficient {}"};
//   ...
//   return Status::unschedulable({.kind = kTooFew, .values = {{"resource", "cpu"}}});
//
// Code decides on the code and on the ids of reasons; the text is a rendering for people and for
// tools that know kube-scheduler's words. The name of the plugin is put in by the runner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace berth::framework {

// The numbers are upstream's.
enum class Code : std::uint8_t {
  kSuccess = 0,
  kError = 1,          // trouble; tried again after a while, never parked
  kUnschedulable = 2,  // rejected now; it may help that other pods go
  kUnresolvable = 3,   // rejected now; no pod that goes can help
  kWait = 4,           // Permit only
  kSkip = 5,     // nothing to say about this pod; PreFilter, PreScore, preflight and Bind only
  kPending = 6,  // rejected until something outside happens; then without delay
};
inline constexpr std::size_t kCodeCount = 7;

// As metrics and messages call it: "UnschedulableAndUnresolvable".
std::string_view name_of(Code code);

// A sort of reason: a constant of the plugin that gives it.
struct ReasonKind {
  std::string_view id;    // for programs: "VolumeNodeAffinityConflict"
  std::string_view text;  // for people; each {} stands for the next value

  bool operator==(const ReasonKind&) const = default;
};

struct ReasonValue {
  std::string_view name;  // a literal: "claim"
  std::string text;

  bool operator==(const ReasonValue&) const = default;
};

struct Reason {
  ReasonKind kind;
  std::vector<ReasonValue> values;

  // The text of its kind with the values put in. A place without a value stays {}, a value without
  // a place is not shown.
  std::string text() const;
  bool operator==(const Reason&) const = default;
};

// What can help a pod that was refused or failed, for who decides where it goes next.
enum class Remedy : std::uint8_t {
  kTime,       // trying again, later
  kOtherNode,  // this node cannot; another one may
  kHuman,      // nobody can until somebody changes an object
  kNone,       // what this was about is gone
};

class [[nodiscard]] Status {
 public:
  // Success.
  Status() = default;

  static Status success() { return {}; }
  static Status skip() { return Status(Code::kSkip, {}); }
  static Status wait() { return Status(Code::kWait, {}); }
  static Status unschedulable(Reason reason) { return of(Code::kUnschedulable, std::move(reason)); }
  static Status unresolvable(Reason reason) { return of(Code::kUnresolvable, std::move(reason)); }
  static Status pending(Reason reason) { return of(Code::kPending, std::move(reason)); }
  static Status with_reasons(Code code, std::vector<Reason> reasons) {
    return {code, std::move(reasons)};
  }
  static Status error(Error error);

  Code code() const { return code_; }
  bool is_success() const { return code_ == Code::kSuccess; }
  bool is_skip() const { return code_ == Code::kSkip; }
  bool is_wait() const { return code_ == Code::kWait; }
  bool is_error() const { return code_ == Code::kError; }
  bool is_rejected() const {
    return code_ == Code::kUnschedulable || code_ == Code::kUnresolvable || code_ == Code::kPending;
  }

  // Empty until the runner has put it in.
  const std::string& plugin() const { return plugin_; }
  const std::vector<Reason>& reasons() const { return reasons_; }
  // Those of Code::kError have one.
  const std::optional<Error>& cause() const { return cause_; }
  Remedy remedy() const { return remedy_; }

  Status from(std::string_view plugin) &&;
  Status with_remedy(Remedy remedy) &&;

  // The texts of the reasons, separated by ", "; the error's comes first.
  std::string message() const;
  // Nothing for success, wait and skip; else the error, or one made of the message.
  std::optional<Error> to_error() const;

  bool operator==(const Status& other) const;

 private:
  Status(Code code, std::vector<Reason> reasons) : code_(code), reasons_(std::move(reasons)) {}
  static Status of(Code code, Reason reason);

  Code code_ = Code::kSuccess;
  Remedy remedy_ = Remedy::kTime;
  std::string plugin_;
  std::vector<Reason> reasons_;
  std::optional<Error> cause_;
};

}  // namespace berth::framework
