// What went wrong, as a value.
//
// The code is for programs, the text for people; nobody parses the text. On its way up an error
// gathers context, outermost first:
//
//   Result<Config> load(const std::string& path) {
//     auto text = read_file(path);
//     if (!text) {
//       return std::move(text).error().in("reading " + path);
//     }
//     ...
//
// prints as "reading /etc/berth.yaml: no such file".
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

// The decisions a caller can take. A room that needs a finer one adds it here, with the reason.
enum class ErrorCode : std::uint8_t {
  kInvalid,          // the input is wrong; the same call fails again
  kNotFound,         // what was named does not exist
  kLimit,            // the input is larger or deeper than we accept
  kUnavailable,      // not now; the same call may succeed later
  kInternal,         // our own fault
  kExists,           // what was to be made is there already
  kConflict,         // a precondition does not hold: the object is another or has changed
  kGone,             // too old to go on from here; read everything again
  kForbidden,        // known, and not allowed to
  kUnauthorized,     // not known: the credentials are missing or no longer good
  kTooManyRequests,  // not now; retry_after() says when, if anybody said
  kServerError,      // the server failed; a write was not applied
  kUnknownOutcome,   // a write whose answer was lost: look before doing anything else
  kTimeout,          // the deadline passed before anything could be changed
  kCancelled,        // the caller no longer wants it
};

std::string_view name_of(ErrorCode code);

class Error {
 public:
  Error(ErrorCode code, std::string text) : code_(code), text_(std::move(text)) {}

  ErrorCode code() const { return code_; }
  // The whole chain, one line: "context: context: what happened".
  const std::string& text() const { return text_; }

  // Says where it happened; `where` goes in front of what is there.
  Error in(std::string_view where) &&;

  // A constant that says more finely than the code what happened, for whoever explains it to
  // people; empty mostly. Nobody's decision hangs on it.
  std::string_view reason() const { return reason_; }
  // `reason` is a literal.
  Error with_reason(std::string_view reason) &&;

  // How long whoever refused asks to be left alone; zero when nothing was said.
  std::chrono::milliseconds retry_after() const { return retry_after_; }
  Error with_retry_after(std::chrono::milliseconds delay) &&;

 private:
  ErrorCode code_;
  std::chrono::milliseconds retry_after_{};
  std::string text_;
  std::string_view reason_;
};

}  // namespace berth
