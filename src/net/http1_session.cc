#include "net/http1_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "net/http.h"
#include "net/http1_parser.h"
#include "net/http_status.h"

namespace berth::net {
namespace {

constexpr int kNoContent = 204;
constexpr int kNotModified = 304;
constexpr int kFinal = 200;  // below are interim answers: another head follows
constexpr int kSwitchingProtocols = 101;

// Whether it stays one line, and one header.
bool is_writable(const Header& header) {
  const auto is_plain = [](char c) { return c != '\r' && c != '\n' && c != '\0'; };
  return !header.name.empty() && header.name.find_first_of(": \t\r\n") == std::string::npos &&
         std::ranges::all_of(header.value, is_plain);
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c != '\x7f'; });
}

// What only the connection decides.
bool is_of_connection(std::string_view name) {
  return name == "connection" || name == "transfer-encoding" || name == "keep-alive" ||
         name == "upgrade" || name == "host";
}

// "/path" with its authority beside it, however the request named them; false when it did neither.
bool split_target(std::string target, RequestHead& head) {
  constexpr std::string_view kScheme = "://";
  if (target.starts_with('/') || (target == "*" && head.method == "OPTIONS")) {
    head.path = std::move(target);
    return true;
  }
  if (!target.starts_with("http://") && !target.starts_with("https://")) {
    return false;
  }
  const std::size_t begin = target.find(kScheme) + kScheme.size();
  const std::size_t slash = std::min(target.find_first_of("/?", begin), target.size());
  head.authority = target.substr(begin, slash - begin);
  head.path = target.substr(slash);
  if (!head.path.starts_with('/')) {
    head.path.insert(0, "/");
  }
  return !head.authority.empty();
}

}  // namespace

Http1Session::Http1Session(End end, const Http1Limits& limits, Observer& observer)
    : end_(end), limits_(limits), observer_(observer) {
  if (is_server()) {
    expect_message();
  }
}

Http1Session::~Http1Session() = default;

void Http1Session::expect_message() {
  in_state_ = In::kHead;
  has_begun_ = false;
  const auto message = is_server()        ? Http1Parser::Message::kRequest
                       : is_head_request_ ? Http1Parser::Message::kResponseToHead
                                          : Http1Parser::Message::kResponse;
  // Interim answers without end are an endless head too.
  Http1Parser::Observer& told = *this;
  parser_.emplace(message, limits_.header_bytes_max - interim_bytes_, told);
}

bool Http1Session::wants_input() const {
  return in_state_ != In::kDone || ahead_.size() < limits_.ahead_max;
}

Result<void> Http1Session::receive(std::string_view bytes) {
  if (is_over_) {
    return {};  // nobody listens any more
  }
  ahead_ += bytes;
  if (auto taken = take_ahead(); !taken) {
    return taken;
  }
  const bool expects_nothing = !parser_ || in_state_ == In::kDone;
  if (!is_server() && expects_nothing && !ahead_.empty()) {
    return fail(Error(ErrorCode::kInvalid, "the server answers what nobody asked"));
  }
  return {};
}

Result<void> Http1Session::receive_end() {
  if (is_over_) {
    return {};
  }
  keeps_alive_ = false;
  if (parser_ && in_state_ == In::kBody) {
    if (auto ended = parser_->put_end(); !ended) {
      return fail(std::move(ended).error());
    }
    in_state_ = In::kDone;
    observer_.on_end();
    close_exchange();
    return {};
  }
  const bool is_cut = in_state_ == In::kHead && (is_server() ? has_begun_ : parser_.has_value());
  if (is_cut) {
    return fail(Error(ErrorCode::kInvalid,
                      has_begun_ ? "the message is cut short" : "the server sent no answer"));
  }
  close_when_idle();
  return {};
}

// Goes on until there is no message to expect, or it takes more bytes.
Result<void> Http1Session::take_ahead() {
  std::size_t before = 0;
  do {
    before = ahead_.size();
    if (auto stepped = step(); !stepped) {
      return fail(std::move(stepped).error());
    }
  } while (!ahead_.empty() && ahead_.size() < before && !is_over_);
  return {};
}

Result<void> Http1Session::step() {
  if (!parser_ || in_state_ == In::kDone || ahead_.empty()) {
    return {};
  }
  if (is_server() && !has_begun_) {
    // Some clients end a body with a line of their own.
    ahead_.erase(0, std::min(ahead_.find_first_not_of("\r\n"), ahead_.size()));
    if (ahead_.empty()) {
      return {};
    }
    observer_.on_begin();
  }
  has_begun_ = true;
  // Once for all that is there, so that many small chunks do not move the rest again and again.
  std::size_t taken = 0;
  while (taken < ahead_.size() && !parser_->is_complete()) {
    auto put = parser_->put(std::string_view(ahead_).substr(taken));
    if (!put) {
      return std::move(put).error();
    }
    if (refusal_) {
      return *refusal_;
    }
    if (*put == 0) {
      break;
    }
    taken += *put;
    if (is_interim_) {
      break;
    }
  }
  ahead_.erase(0, taken);
  if (std::exchange(is_interim_, false)) {
    interim_bytes_ += std::min(taken, limits_.header_bytes_max - interim_bytes_);
    expect_message();
  } else if (parser_->is_complete()) {
    in_state_ = In::kDone;
    observer_.on_end();
    close_exchange();
  }
  return {};
}

void Http1Session::on_head(Http1Head head) {
  if (is_server()) {
    on_request_head(std::move(head));
  } else {
    on_response_head(std::move(head));
  }
}

void Http1Session::on_request_head(Http1Head head) {
  RequestHead request{.method = std::move(head.method),
                      .scheme = "http",
                      .authority = std::move(head.host).value_or(""),
                      .headers = std::move(head.headers)};
  if (!split_target(std::move(head.target), request)) {
    refusal_ = Error(ErrorCode::kInvalid, "the target of the request is no path");
    return;
  }
  in_state_ = In::kBody;
  is_http11_ = head.is_http11;
  is_head_request_ = request.method == "HEAD";
  keeps_alive_ = keeps_alive_ && head.keeps_alive;
  observer_.on_request(std::move(request));
  // A client that waits to be asked for its body, and was not answered without it.
  if (head.expects_continue && head.is_http11 && out_state_ == Out::kNone &&
      !parser_->is_complete()) {
    out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  }
}

void Http1Session::on_response_head(Http1Head head) {
  if (head.status == kSwitchingProtocols) {
    refusal_ = Error(ErrorCode::kInvalid, "the server speaks another protocol");
    return;
  }
  if (head.status < kFinal) {
    is_interim_ = true;
    return;
  }
  in_state_ = In::kBody;
  keeps_alive_ = keeps_alive_ && head.keeps_alive;
  observer_.on_response({.status = head.status, .headers = std::move(head.headers)});
}

void Http1Session::on_body(std::string_view bytes) {
  observer_.on_data(bytes);
}

Error Http1Session::fail(Error why) {
  is_over_ = true;
  ahead_.clear();
  if (!is_server()) {
    return why.code() == ErrorCode::kLimit ? std::move(why)
                                           : Error(ErrorCode::kUnavailable, why.text());
  }
  if (out_state_ == Out::kNone) {
    constexpr int kBadRequest = 400;
    constexpr int kHeadersTooLarge = 431;
    const int status = why.code() == ErrorCode::kLimit ? kHeadersTooLarge : kBadRequest;
    out_state_ = Out::kDone;
    keeps_alive_ = false;
    write_head(fmt::format("HTTP/1.1 {} {}", status, reason_of(status)), {{"content-length", "0"}});
  }
  return why;
}

std::string Http1Session::output(std::size_t max) {
  std::string bytes;
  if (sent_ == 0 && out_.size() <= max) {
    bytes = std::exchange(out_, {});
  } else {
    bytes = out_.substr(sent_, max);
    sent_ += bytes.size();
    if (sent_ == out_.size()) {
      out_.clear();
      sent_ = 0;
    }
  }
  if (!wants_output()) {
    close_exchange();
    if (is_server() && is_idle() && !is_over_) {
      static_cast<void>(take_ahead());  // what is wrong with it is in the output
    }
  }
  return bytes;
}

// When both are done, and ours has left.
void Http1Session::close_exchange() {
  // A server that has answered does not wait for the rest of the request: the connection ends.
  const bool has_all = in_state_ == In::kDone || (is_server() && !keeps_alive_);
  if (out_state_ != Out::kDone || wants_output() || !has_all) {
    return;
  }
  is_over_ = is_over_ || !keeps_alive_;
  out_state_ = Out::kNone;
  is_head_request_ = false;
  interim_bytes_ = 0;
  parser_.reset();
  in_state_ = In::kHead;
  has_begun_ = false;
  if (is_over_) {
    ahead_.clear();
  } else if (is_server()) {
    expect_message();
  }
  observer_.on_close();
}

bool Http1Session::takes_request() const {
  return !is_server() && !is_over_ && keeps_alive_ && !parser_ && is_idle();
}

Result<void> Http1Session::request(const RequestHead& head, std::string_view body) {
  if (!takes_request()) {
    return Error(ErrorCode::kUnavailable, "the connection takes no more requests");
  }
  if (!is_plain_word(head.method) || !is_plain_word(head.path) || !is_plain_word(head.authority) ||
      !std::ranges::all_of(head.headers, is_writable)) {
    return Error(ErrorCode::kInvalid, "the request cannot be written as HTTP/1.1");
  }
  Headers headers = {{"host", head.authority}};
  std::ranges::copy_if(head.headers, std::back_inserter(headers), [](const Header& header) {
    return !is_of_connection(header.name) && header.name != "content-length";
  });
  if (!body.empty() || (head.method != "GET" && head.method != "HEAD")) {
    headers.push_back({"content-length", std::to_string(body.size())});
  }
  is_head_request_ = head.method == "HEAD";
  expect_message();
  out_state_ = Out::kDone;
  write_head(fmt::format("{} {} HTTP/1.1", head.method, head.path), headers);
  out_ += body;
  return {};
}

void Http1Session::respond(const ResponseHead& head) {
  BERTH_ASSERT(is_server() && out_state_ == Out::kNone, "a request is answered once");
  out_state_ = Out::kBody;
  // Bytes of a request that nobody will read would be taken for the next one.
  keeps_alive_ = keeps_alive_ && (in_state_ == In::kDone || parser_->is_complete());
  Headers headers;
  std::ranges::copy_if(head.headers, std::back_inserter(headers), [](const Header& header) {
    return !is_of_connection(header.name) && is_writable(header);
  });
  const auto length = find_header(headers, "content-length");
  if (is_head_request_ || head.status == kNoContent || head.status == kNotModified) {
    framing_ = Framing::kNoBody;
  } else if (length) {
    framing_ = Framing::kLength;
    const auto [end, error] =
        std::from_chars(length->data(), length->data() + length->size(), length_left_);
    BERTH_ASSERT(error == std::errc() && end == length->data() + length->size(),
                 "a length is a number");
  } else if (is_http11_) {
    framing_ = Framing::kChunks;
    headers.push_back({"transfer-encoding", "chunked"});
  } else {
    framing_ = Framing::kClose;
    keeps_alive_ = false;
  }
  write_head(fmt::format("HTTP/1.1 {} {}", head.status, reason_of(head.status)), headers);
}

void Http1Session::write_head(std::string_view first_line, const Headers& headers) {
  out_ += first_line;
  out_ += "\r\n";
  for (const auto& [name, value] : headers) {
    out_ += fmt::format("{}: {}\r\n", name, value);
  }
  if (!keeps_alive_) {
    out_ += "connection: close\r\n";
  } else if (!is_http11_) {
    out_ += "connection: keep-alive\r\n";
  }
  out_ += "\r\n";
}

void Http1Session::send(std::string_view bytes) {
  if (out_state_ != Out::kBody || framing_ == Framing::kNoBody || bytes.empty()) {
    return;
  }
  // What has left goes first: a body that never pauses would keep it for ever.
  if (sent_ > out_.size() / 2) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
  if (framing_ == Framing::kLength) {
    BERTH_ASSERT(bytes.size() <= length_left_, "a body is as long as its head says");
    length_left_ -= bytes.size();
  }
  if (framing_ == Framing::kChunks) {
    out_ += fmt::format("{:x}\r\n", bytes.size());
  }
  out_ += bytes;
  if (framing_ == Framing::kChunks) {
    out_ += "\r\n";
  }
}

void Http1Session::finish() {
  if (out_state_ != Out::kBody) {
    return;
  }
  BERTH_ASSERT(framing_ != Framing::kLength || length_left_ == 0,
               "a body is as long as its head says");
  if (framing_ == Framing::kChunks) {
    out_ += "0\r\n\r\n";
  }
  out_state_ = Out::kDone;
}

void Http1Session::break_off() {
  keeps_alive_ = false;
  is_over_ = true;
}

void Http1Session::close_when_idle() {
  keeps_alive_ = false;
  is_over_ = is_over_ || (is_idle() && (is_server() || !parser_));
}

}  // namespace berth::net
