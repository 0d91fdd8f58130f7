// The structured log: constant message, then fields.
//
//   LogOutput output{.sink = fd_sink(STDERR_FILENO), .clock = wall_clock};   // built once, in app/
//   const Logger log(output);
//   log.info("bound pod", {{"pod", key}, {"node", node}, {"attempt", n}});
//   const Logger pod_log = log.with({"pod", key});                          // on every record
//
// prints, as text and as JSON:
//
//   time=2026-01-02T03:04:05.678901Z level=info msg="bound pod" pod=ns/a node=n1 attempt=1
//   {"time":"2026-01-02T03:04:05.678901Z","level":"info","msg":"bound pod","pod":"ns/a",...}
//
// A record is one line and one call of the sink. Values cannot break out of it: control characters
// and line separators are escaped and bytes that are not UTF-8 are replaced. Durations are seconds
// ("1.5s" in text, a number in JSON); JSON has no infinity, there it is a string.
//
// Levels: info and debug in normal life; warn means someone should look; an error is logged once,
// where it is handled.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/log_value.h"

namespace berth {

// A record with its newline fits PIPE_BUF, the most that a pipe takes in one piece, so that lines
// of several processes do not mix. Fields that would exceed it are left out and the record says
// `truncated`.
inline constexpr std::size_t kLogRecordBytesMax = 4096;
// A longer value or message, as printed and without quotes, is cut at a character and ends in
// "...".
inline constexpr std::size_t kLogValueBytesMax = 1024;
// What the fields of with() may take of each record.
inline constexpr std::size_t kLogBoundBytesMax = 2048;

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };
enum class LogFormat : std::uint8_t { kText, kJson };

// Takes one whole line, newline included. Called on the thread that logs.
using LogSink = std::function<void(std::string_view line)>;
using LogClock = std::function<std::chrono::system_clock::time_point()>;

// Writes each line to an open file descriptor with one write(). A line that cannot be written is
// lost: there is nowhere left to say so.
LogSink fd_sink(int fd);

struct LogOutput {
  LogSink sink;
  LogClock clock;
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;  // what is below is not printed
};

// Cheap to copy: a pointer and the printed fields of with(). Usable on any thread if the sink and
// the clock are.
class Logger {
 public:
  // `output` has a sink and a clock, outlives the logger and does not change.
  explicit Logger(const LogOutput& output);
  explicit Logger(const LogOutput&& output) = delete;

  // A logger that puts `field` on every record, after those of this one.
  Logger with(const LogField& field) const;

  // To skip the computing of values nobody will see.
  bool is_enabled(LogLevel level) const { return level >= output_->level; }

  using Fields = std::initializer_list<LogField>;
  void debug(LogMessage message, Fields fields = {}) const {
    write(LogLevel::kDebug, message, fields);
  }
  void info(LogMessage message, Fields fields = {}) const {
    write(LogLevel::kInfo, message, fields);
  }
  void warn(LogMessage message, Fields fields = {}) const {
    write(LogLevel::kWarn, message, fields);
  }
  void error(LogMessage message, Fields fields = {}) const {
    write(LogLevel::kError, message, fields);
  }

 private:
  void write(LogLevel level, LogMessage message, Fields fields) const;

  const LogOutput* output_;
  std::string bound_;              // the fields of with(), printed
  bool is_bound_complete_ = true;  // false: one of them did not fit
};

}  // namespace berth
