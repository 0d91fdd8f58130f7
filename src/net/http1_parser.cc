#include "net/http1_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/optional/optional.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/http.h"

namespace berth::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

constexpr std::size_t kFieldOverhead = 32;  // as HTTP/2 counts: many small fields are no bargain
// No chunk, with the line in front of it and what ends it, is shorter. Beast asserts so much.
constexpr std::size_t kChunkMin = 5;

std::string lower(string_view text) {
  std::string result(text.data(), text.size());
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

Error malformed(std::string what) {
  return {ErrorCode::kInvalid, std::move(what)};
}

Error too_long() {
  return {ErrorCode::kLimit, "the headers are too long"};
}

// What Beast tells, gathered.
struct Gathered {
  Http1Head head;
  std::size_t header_bytes = 0;
  std::size_t lengths = 0;
  std::size_t codings = 0;
  bool is_chunked = false;
  bool is_done = false;  // with the head; more fields are trailers
  bool is_in_chunk = false;
  std::size_t chunk_overhead = 0;  // extensions
  std::size_t chunk_lines = 0;     // bytes of what frames the chunks, at least
  std::size_t body_bytes = 0;
  Http1Parser::Observer* observer = nullptr;

  void add(string_view name, string_view value) {
    header_bytes += name.size() + value.size() + kFieldOverhead;
    if (is_done) {
      return;  // nobody asks for trailers
    }
    std::string key = lower(name);
    if (key == "content-length") {
      ++lengths;
    } else if (key == "transfer-encoding") {
      ++codings;
      is_chunked = lower(value) == "chunked";
      return;
    } else if (key == "host") {
      has_second_host = has_second_host || head.host.has_value();
      head.host = std::string(value.data(), value.size());
      return;
    } else if (key == "expect") {
      head.expects_continue = lower(value) == "100-continue";
      return;
    } else if (key == "connection" || key == "keep-alive" || key == "proxy-connection" ||
               key == "upgrade") {
      return;
    }
    head.headers.push_back({std::move(key), std::string(value.data(), value.size())});
  }

  bool has_second_host = false;
};

// Beast's part in it.
template <bool kIsRequest>
class BeastParser final : public http::basic_parser<kIsRequest> {
 public:
  explicit BeastParser(Gathered& gathered) : gathered_(gathered) {}

 private:
  void on_request_impl(http::verb /*verb*/,
                       string_view method,
                       string_view target,
                       int version,
                       error_code& /*error*/) override {
    gathered_.head.method.assign(method.data(), method.size());
    gathered_.head.target.assign(target.data(), target.size());
    gathered_.head.is_http11 = version == kHttp11;
  }
  void on_response_impl(int code,
                        string_view /*reason*/,
                        int version,
                        error_code& /*error*/) override {
    gathered_.head.status = code;
    gathered_.head.is_http11 = version == kHttp11;
  }
  void on_field_impl(http::field /*field*/,
                     string_view name,
                     string_view value,
                     error_code& /*error*/) override {
    gathered_.add(name, value);
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  std::size_t on_body_impl(string_view body, error_code& /*error*/) override {
    gathered_.observer->on_body({body.data(), body.size()});
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t size,
                            string_view extensions,
                            error_code& /*error*/) override {
    gathered_.is_in_chunk = size > 0;
    gathered_.chunk_overhead += extensions.size();
    gathered_.chunk_lines += kChunkMin;
  }
  std::size_t on_chunk_body_impl(std::uint64_t rest,
                                 string_view body,
                                 error_code& /*error*/) override {
    gathered_.is_in_chunk = body.size() < rest;
    gathered_.body_bytes += body.size();
    gathered_.observer->on_body({body.data(), body.size()});
    return body.size();
  }
  void on_finish_impl(error_code& /*error*/) override {}

  static constexpr int kHttp11 = 11;
  Gathered& gathered_;
};

// The same for both kinds of message, which are different types to Beast.
class AnyParser {
 public:
  AnyParser() = default;
  AnyParser(const AnyParser&) = delete;
  AnyParser& operator=(const AnyParser&) = delete;
  virtual ~AnyParser() = default;

  virtual std::size_t put(std::string_view bytes, error_code& error) = 0;
  virtual void put_end(error_code& error) = 0;
  virtual bool is_complete() const = 0;
  virtual bool keeps_alive() const = 0;
  virtual std::optional<std::uint64_t> content_length() const = 0;
};

template <bool kIsRequest>
class ParserOf final : public AnyParser {
 public:
  ParserOf(Gathered& gathered, std::size_t header_bytes_max, bool is_without_body)
      : parser_(gathered) {
    parser_.header_limit(static_cast<std::uint32_t>(header_bytes_max));
    parser_.body_limit(boost::none);  // whoever reads the body bounds it
    parser_.skip(is_without_body);
  }

  std::size_t put(std::string_view bytes, error_code& error) override {
    return parser_.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  }
  void put_end(error_code& error) override { parser_.put_eof(error); }
  bool is_complete() const override { return parser_.is_done(); }
  bool keeps_alive() const override { return parser_.keep_alive(); }
  std::optional<std::uint64_t> content_length() const override {
    const auto length = parser_.content_length();
    return length ? std::optional(*length) : std::nullopt;
  }

 private:
  BeastParser<kIsRequest> parser_;
};

std::unique_ptr<AnyParser> make_parser(Http1Parser::Message message,
                                       Gathered& gathered,
                                       std::size_t header_bytes_max) {
  if (message == Http1Parser::Message::kRequest) {
    return std::make_unique<ParserOf<true>>(gathered, header_bytes_max, false);
  }
  return std::make_unique<ParserOf<false>>(
      gathered, header_bytes_max, message == Http1Parser::Message::kResponseToHead);
}

bool can_begin_a_line(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

}  // namespace

struct Http1Parser::Parts {
  Parts(Message which, std::size_t limit, Observer& to)
      : message(which), header_bytes_max(limit), parser(make_parser(which, gathered, limit)) {
    gathered.observer = &to;
  }

  // Looks for the empty line. Beast is given whole heads only: then the bound is one, and what it
  // would forgive can be seen. No size: not there yet.
  Result<std::optional<std::size_t>> head_size(std::string_view bytes) {
    for (; scanned < bytes.size(); ++scanned) {
      if (scanned >= header_bytes_max) {
        return too_long();
      }
      const char c = bytes[scanned];
      const char before = scanned > 0 ? bytes[scanned - 1] : '\0';
      if (scanned == 0 && !can_begin_a_line(c)) {
        return malformed("this is not HTTP");
      }
      if (before == '\n' && (c == ' ' || c == '\t')) {
        return malformed("a header is folded");
      }
      if (c == '\n' && before != '\r') {
        return malformed("a line ends without a carriage return");
      }
      if (c == '\n' && scanned >= 3 && bytes[scanned - 2] == '\n') {
        return std::optional(++scanned);
      }
    }
    return std::optional<std::size_t>();
  }

  Result<std::size_t> put_head(std::string_view bytes) {
    BERTH_TRY(const auto size, head_size(bytes));
    if (!size) {
      return std::size_t{0};
    }
    error_code error;
    const std::size_t taken = parser->put(bytes.substr(0, *size), error);
    if (error || taken != *size) {
      return malformed(error ? error.message() : "the head does not end where it should");
    }
    BERTH_TRY(const bool is_good, check_head());
    gathered.is_done = is_good;
    Http1Head& head = gathered.head;
    head.keeps_alive = parser->keeps_alive();
    head.content_length = parser->content_length();
    gathered.header_bytes = 0;  // from here on those of the trailers
    gathered.observer->on_head(std::move(head));
    return taken;
  }

  Result<bool> check_head() const {
    const Http1Head& head = gathered.head;
    if (gathered.header_bytes > header_bytes_max) {
      return too_long();
    }
    if (gathered.codings > 0 && (gathered.codings > 1 || !gathered.is_chunked)) {
      return malformed("a transfer coding other than chunked");
    }
    if (gathered.codings > 0 && (gathered.lengths > 0 || !head.is_http11)) {
      return malformed("two opinions on the length of the body");
    }
    if (gathered.lengths > 1 || has_list_of_lengths()) {
      return malformed("more than one content-length");
    }
    if (message != Message::kRequest) {
      constexpr int kFirst = 100;
      constexpr int kLast = 599;
      return head.status >= kFirst && head.status <= kLast ? Result<bool>(true)
                                                           : malformed("no such status");
    }
    if (gathered.has_second_host || (head.is_http11 && !head.host)) {
      return malformed("a request has one host");
    }
    return true;
  }

  bool has_list_of_lengths() const {
    const auto length = find_header(gathered.head.headers, "content-length");
    return length && !std::ranges::all_of(*length, [](char c) { return c >= '0' && c <= '9'; });
  }

  Result<std::size_t> put_body(std::string_view bytes) {
    if (gathered.is_chunked && !gathered.is_in_chunk && bytes.size() < kChunkMin) {
      return std::size_t{0};
    }
    error_code error;
    const std::size_t taken = parser->put(bytes, error);
    if (error && error != http::error::need_more) {
      return malformed(error.message());
    }
    // A watch has chunks without end, but they carry something.
    if (gathered.chunk_overhead + gathered.header_bytes > header_bytes_max ||
        gathered.chunk_lines > header_bytes_max + gathered.body_bytes ||
        (error && bytes.size() - taken > header_bytes_max)) {
      return too_long();
    }
    return taken;
  }

  Message message;
  std::size_t header_bytes_max;
  std::size_t scanned = 0;  // of the head
  Gathered gathered;
  std::unique_ptr<AnyParser> parser;
};

Http1Parser::Http1Parser(Message message, std::size_t header_bytes_max, Observer& observer)
    : parts_(std::make_unique<Parts>(message, header_bytes_max, observer)) {}
Http1Parser::~Http1Parser() = default;

Result<std::size_t> Http1Parser::put(std::string_view bytes) {
  if (bytes.empty()) {
    return std::size_t{0};
  }
  return has_head() ? parts_->put_body(bytes) : parts_->put_head(bytes);
}

Result<void> Http1Parser::put_end() {
  error_code error;
  if (has_head()) {
    parts_->parser->put_end(error);
  }
  if (!has_head() || error) {
    return malformed("the message is cut short");
  }
  return {};
}

bool Http1Parser::has_head() const {
  return parts_->gathered.is_done;
}

bool Http1Parser::is_complete() const {
  return has_head() && parts_->parser->is_complete();
}

}  // namespace berth::net
