// One HTTP/1.1 message, taken apart as it arrives. Beast's parser inside, with the rules around it
// that keep two readers of the same bytes from disagreeing about where a message ends.
//
// Refused besides what Beast refuses: lines that are folded or end in a bare line feed, a length
// beside a transfer coding, more than one length, any coding but "chunked", "chunked" in HTTP/1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace berth::net {

// A head as HTTP/1.1 has it. What is only about this connection is no longer among the headers.
struct Http1Head {
  std::string method;  // of a request
  std::string target;  // likewise
  int status = 0;      // of a response
  bool is_http11 = false;
  std::optional<std::string> host;
  Headers headers;
  bool keeps_alive = false;  // another message may follow
  bool expects_continue = false;
  std::optional<std::uint64_t> content_length;
};

class Http1Parser {
 public:
  enum class Message : std::uint8_t { kRequest, kResponse, kResponseToHead };

  class Observer {
   public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    virtual void on_head(Http1Head head) = 0;
    virtual void on_body(std::string_view bytes) = 0;
  };

  // `header_bytes_max` bounds the head, apart from it what chunks have besides their bytes, and by
  // how much the lines around them may outweigh these.
  Http1Parser(Message message, std::size_t header_bytes_max, Observer& observer);
  Http1Parser(const Http1Parser&) = delete;
  Http1Parser& operator=(const Http1Parser&) = delete;
  ~Http1Parser();

  // Takes some of the bytes and says how many; none when it takes more of them to go on. What was
  // not taken comes again, with what follows it. kLimit: too long; kInvalid: not HTTP/1.1. After an
  // error, and when the message is complete, nothing more is put.
  Result<std::size_t> put(std::string_view bytes);
  // The peer has sent its last byte. An error when the message is not complete then.
  Result<void> put_end();

  bool has_head() const;
  bool is_complete() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::net
