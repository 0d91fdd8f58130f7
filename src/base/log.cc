#include "base/log.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "base/assert.h"
#include "base/log_value.h"
#include "base/utf8.h"

namespace berth {

namespace {

constexpr std::string_view kCutMark = "...";
// Room for the longest end of a record: `,"truncated":true}` and the newline.
constexpr std::size_t kRecordEndBytes = 24;
// Generous for time, level, keys and quotes.
constexpr std::size_t kRecordStartBytes = 128;
static_assert(kRecordStartBytes + kLogValueBytesMax + kLogBoundBytesMax + kRecordEndBytes <
                  kLogRecordBytesMax,
              "what every record has leaves room for fields");

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "unknown";
}

// Line separators count as control characters: some readers end a line there.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

void append_escaped(std::string& out, const Utf8Char& c, std::string_view bytes) {
  switch (c.code_point) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (is_control(c.code_point)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(c.code_point));
  } else {
    out += c.is_valid ? bytes : kReplacementText;
  }
}

// Escapes as JSON does and cuts what gets longer than kLogValueBytesMax.
void append_escaped(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  std::size_t cut = start;  // the last character border that leaves room for the mark
  while (!text.empty()) {
    const Utf8Char c = first_utf8_char(text);
    append_escaped(out, c, text.substr(0, c.bytes));
    text.remove_prefix(c.bytes);
    if (out.size() - start > kLogValueBytesMax) {
      out.resize(cut);
      out += kCutMark;
      return;
    }
    if (out.size() - start + kCutMark.size() <= kLogValueBytesMax) {
      cut = out.size();
    }
  }
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) {
    return true;
  }
  for (const char c : text.substr(0, kLogValueBytesMax)) {
    if (c <= ' ' || c >= '\x7F' || c == '"' || c == '=' || c == '\\') {  // negative: not ASCII
      return true;
    }
  }
  return false;
}

class ValueWriter {
 public:
  ValueWriter(std::string& out, LogFormat format)
      : out_(out), is_json_(format == LogFormat::kJson) {}

  void operator()(std::string_view text) {
    if (!is_json_ && !needs_quotes(text)) {
      append_escaped(out_, text);
      return;
    }
    out_ += '"';
    append_escaped(out_, text);
    out_ += '"';
  }
  void operator()(std::int64_t number) { append_number(number); }
  void operator()(std::uint64_t number) { append_number(number); }
  void operator()(bool truth) { out_ += truth ? "true" : "false"; }
  void operator()(double number) {
    const bool is_string = is_json_ && !std::isfinite(number);
    out_ += is_string ? "\"" : "";
    append_number(number);
    out_ += is_string ? "\"" : "";
  }
  void operator()(LogValue::Seconds seconds) {
    (*this)(seconds.count);
    out_ += is_json_ ? "" : "s";
  }

 private:
  template <typename Number>
  void append_number(Number number) {
    fmt::format_to(std::back_inserter(out_), "{}", number);
  }

  std::string& out_;
  bool is_json_;
};

void append_field(std::string& out, LogFormat format, std::string_view key, const LogValue& value) {
  if (format == LogFormat::kJson) {
    out.append(",\"").append(key).append("\":");
  } else {
    out.append(" ").append(key).append("=");
  }
  std::visit(ValueWriter(out, format), value.any());
}

// False, and nothing appended, if `out` would become longer than `bytes_max`.
bool try_append_field(std::string& out,
                      LogFormat format,
                      const LogField& field,
                      std::size_t bytes_max) {
  const std::size_t before = out.size();
  append_field(out, format, field.key.text(), field.value);
  if (out.size() > bytes_max) {
    out.resize(before);
    return false;
  }
  return true;
}

void append_time(std::string& out, std::chrono::system_clock::time_point time) {
  using std::chrono::microseconds;
  // NOLINTBEGIN(misc-include-cleaner): it does not know that <chrono> has floor and days
  const auto micros = std::chrono::floor<microseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(micros);
  // NOLINTEND(misc-include-cleaner)
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<microseconds> clock(micros - day);
  fmt::format_to(std::back_inserter(out),
                 "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                 static_cast<int>(date.year()),
                 static_cast<unsigned>(date.month()),
                 static_cast<unsigned>(date.day()),
                 clock.hours().count(),
                 clock.minutes().count(),
                 clock.seconds().count(),
                 clock.subseconds().count());
}

}  // namespace

LogSink fd_sink(int fd) {
  return [fd](std::string_view line) {
    while (::write(fd, line.data(), line.size()) < 0 && errno == EINTR) {
      // Nothing was written; the whole line is tried again.
    }
  };
}

Logger::Logger(const LogOutput& output) : output_(&output) {
  BERTH_ASSERT(output.sink && output.clock, "a log goes somewhere and knows the time");
}

Logger Logger::with(const LogField& field) const {
  Logger logger = *this;
  if (!try_append_field(logger.bound_, output_->format, field, kLogBoundBytesMax)) {
    logger.is_bound_complete_ = false;
  }
  return logger;
}

void Logger::write(LogLevel level, LogMessage message, Fields fields) const {
  if (!is_enabled(level)) {
    return;
  }
  const bool is_json = output_->format == LogFormat::kJson;
  std::string record(is_json ? "{\"time\":\"" : "time=");
  append_time(record, output_->clock());
  record += is_json ? "\"" : "";
  append_field(record, output_->format, "level", name_of(level));
  append_field(record, output_->format, "msg", message.text());
  record += bound_;

  bool is_complete = is_bound_complete_;
  for (const LogField& field : fields) {
    // A field that does not fit does not keep out a shorter one after it.
    is_complete &=
        try_append_field(record, output_->format, field, kLogRecordBytesMax - kRecordEndBytes);
  }
  if (!is_complete) {
    append_field(record, output_->format, "truncated", true);
  }
  record += is_json ? "}\n" : "\n";
  BERTH_ASSERT(record.size() <= kLogRecordBytesMax, "every part of a record is bounded");
  output_->sink(record);
}

}  // namespace berth
