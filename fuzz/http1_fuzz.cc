// HTTP/1.1 as a server and as a client. The first byte chooses which, and into what pieces the rest
// is cut; how it is cut must not matter, and what a server answers must be understood by a client.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input.h"
#include "net/http.h"
#include "net/http1_session.h"

using berth::fuzz::require;
using berth::net::Header;
using berth::net::Headers;
using berth::net::Http1Session;
using berth::net::RequestHead;
using berth::net::ResponseHead;

namespace {

constexpr std::size_t kOutputMax = 1UL << 20U;
constexpr std::string_view kRefusal = "HTTP/1.1 4";

struct Message {
  RequestHead request;
  ResponseHead response;
  std::string body;
  bool has_ended = false;

  bool operator==(const Message& other) const {
    return request.method == other.request.method && request.path == other.request.path &&
           request.authority == other.request.authority &&
           request.headers == other.request.headers && response.status == other.response.status &&
           response.headers == other.response.headers && body == other.body &&
           has_ended == other.has_ended;
  }
};

void check_headers(const Headers& headers) {
  constexpr std::string_view kForbidden("\r\n\0", 3);
  for (const Header& header : headers) {
    require(!header.name.empty() && header.name.find_first_of(" :\t\r\n") == std::string::npos,
            "a header has a name");
    require(header.value.find_first_of(kForbidden) == std::string::npos, "a header is one line");
    require(header.name != "transfer-encoding" && header.name != "connection",
            "what is of the connection stays there");
  }
}

class Log final : public Http1Session::Observer {
 public:
  void on_begin() override {
    require(!is_begun, "one request after the other");
    is_begun = true;
  }
  void on_request(RequestHead head) override {
    require(is_begun, "a request begins before it is there");
    require(head.path.starts_with('/') || head.path == "*", "a request has a path");
    check_headers(head.headers);
    all.push_back({.request = std::move(head)});
  }
  void on_response(ResponseHead head) override {
    require(head.status >= 200 && head.status < 600, "interim answers are not told");
    check_headers(head.headers);
    all.push_back({.response = std::move(head)});
  }
  void on_data(std::string_view bytes) override {
    require(!all.empty() && !all.back().has_ended, "a body is between its head and its end");
    all.back().body += bytes;
  }
  void on_end() override {
    require(!all.empty() && !all.back().has_ended, "a message ends once");
    all.back().has_ended = true;
  }
  void on_close() override { is_begun = false; }

  std::vector<Message> all;
  bool is_begun = false;
};

struct Outcome {
  std::vector<Message> told;
  bool is_good = true;

  bool operator==(const Outcome&) const = default;
};

// What a client makes of the answer.
void check_answer(const Message& asked, std::string_view bytes) {
  Log log;
  Http1Session client(Http1Session::End::kClient, {}, log);
  const auto sent = client.request(
      {.method = asked.request.method, .scheme = "http", .authority = "a", .path = "/"}, "");
  require(sent.has_value(), "what was asked can be asked");
  client.output(kOutputMax);
  require(client.receive(bytes).has_value(), "an answer is understood");
  if (!client.is_over() && !client.takes_request()) {
    require(client.receive_end().has_value(), "an answer is complete");
  }
  require(log.all.size() == 1 && log.all[0].has_ended, "there is one answer");
  require(log.all[0].body == (asked.request.method == "HEAD" ? "" : asked.body),
          "the answer arrives as it was sent");
}

Outcome serve(std::string_view bytes, std::size_t piece) {
  Log log;
  Http1Session server(Http1Session::End::kServer, {}, log);
  Outcome outcome;
  std::size_t answered = 0;
  for (std::size_t at = 0; at < bytes.size() && outcome.is_good; at += piece) {
    outcome.is_good = server.receive(bytes.substr(at, piece)).has_value();
    while (answered < log.all.size() && log.all[answered].has_ended && outcome.is_good) {
      const Message asked = log.all[answered++];
      server.output(kOutputMax);  // "100 Continue"
      server.respond({.status = 200});
      server.send(asked.body);
      server.finish();
      check_answer(asked, server.output(kOutputMax));
      // What was sent ahead is looked at by now, and refused in its own words.
      outcome.is_good = !server.wants_output() || !server.output(kOutputMax).starts_with(kRefusal);
    }
  }
  server.output(kOutputMax);
  require(outcome.is_good || server.is_over(), "an error ends the connection");
  outcome.told = std::move(log.all);
  return outcome;
}

Outcome ask(std::string_view bytes, std::size_t piece, bool is_head) {
  Log log;
  Http1Session client(Http1Session::End::kClient, {}, log);
  Outcome outcome;
  const RequestHead head{
      .method = is_head ? "HEAD" : "GET", .scheme = "http", .authority = "a", .path = "/"};
  for (std::size_t at = 0; at < bytes.size() && outcome.is_good; at += piece) {
    if (at == 0) {
      require(client.request(head, "").has_value(), "a new connection takes a request");
      client.output(kOutputMax);
    }
    outcome.is_good = client.receive(bytes.substr(at, piece)).has_value();
  }
  if (outcome.is_good && !bytes.empty()) {
    outcome.is_good = client.receive_end().has_value();
    require(!client.takes_request(), "a connection that has ended is not used");
  }
  require(outcome.is_good || client.is_over(), "an error ends the connection");
  require(log.all.size() <= 1, "there is one answer");
  outcome.told = std::move(log.all);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_server = (data[0] & 1U) != 0;
  const bool is_head = (data[0] & 2U) != 0;
  const std::size_t piece = 1 + (data[0] >> 2U);
  const Outcome whole = is_server ? serve(bytes, bytes.size() + 1) : ask(bytes, size, is_head);
  const Outcome pieces = is_server ? serve(bytes, piece) : ask(bytes, piece, is_head);
  require(whole.is_good == pieces.is_good, "the cuts decide about nothing");
  require(whole.told == pieces.told, "the cuts change nothing");
  return 0;
}
