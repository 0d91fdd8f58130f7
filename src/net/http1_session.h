// HTTP/1.1 as a state machine: bytes in, bytes out, and what they mean. Like Http2Session it
// neither waits nor reads a clock, and one class serves both ends.
//
// One exchange at a time. What a peer sends ahead, before its request is answered, stays where it
// is; wants_input() says when that is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "net/http.h"
#include "net/http1_parser.h"

namespace berth::net {

struct Http1Limits {
  std::size_t header_bytes_max = 64UL * 1024;  // of one message, interim answers included
  std::size_t ahead_max = 64UL * 1024;         // of requests that are not looked at yet
};

class Http1Session final : private Http1Parser::Observer {
 public:
  // What happens on the connection, told from within receive(), receive_end() and output(), none of
  // which may be called from there.
  class Observer {
   public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    // Server. The first byte of a request is there.
    virtual void on_begin() {}
    virtual void on_request(RequestHead /*head*/) {}
    virtual void on_response(ResponseHead /*head*/) {}
    virtual void on_data(std::string_view bytes) = 0;
    // The peer's message is complete.
    virtual void on_end() = 0;
    // So is the exchange: both messages, and our last byte was given to output().
    virtual void on_close() = 0;
  };

  enum class End : bool { kClient, kServer };

  Http1Session(End end, const Http1Limits& limits, Observer& observer);
  ~Http1Session() override;

  // What came from the peer. After an error the connection is to be closed, once what output() has
  // left is sent: a server tells the client why. kLimit: too long; otherwise kInvalid at a server,
  // and kUnavailable at a client, which may have more luck with another connection.
  Result<void> receive(std::string_view bytes);
  // The peer has sent its last byte. An error when it was in the middle of a message.
  Result<void> receive_end();
  // False while a peer has sent so far ahead that nothing more should be read from it.
  bool wants_input() const;
  // What is to be sent now; empty when there is nothing.
  std::string output(std::size_t max);
  bool wants_output() const { return out_.size() > sent_; }
  // Nothing more is sent or taken on this connection.
  bool is_over() const { return is_over_ && !wants_output(); }

  // Client. Whether a request can be sent now.
  bool takes_request() const;
  Result<void> request(const RequestHead& head, std::string_view body);

  // Server. The head of the answer, then its body in as many pieces as there are. Without a
  // content-length among its headers the body ends where finish() says; with one, finish() comes
  // after as many bytes. Answered before the request has ended, the connection ends with it.
  void respond(const ResponseHead& head);
  void send(std::string_view bytes);
  void finish();
  // An answer under way stays incomplete, and the connection ends; the client can tell.
  void break_off();
  // Bytes that were sent and that output() has not given yet.
  std::size_t unsent() const { return out_.size() - sent_; }

  // Either. The exchange under way is the last one.
  void close_when_idle();

 private:
  enum class In : std::uint8_t { kHead, kBody, kDone };   // the peer's message
  enum class Out : std::uint8_t { kNone, kBody, kDone };  // ours
  // How the end of our body is told.
  enum class Framing : std::uint8_t { kLength, kChunks, kClose, kNoBody };

  bool is_server() const { return end_ == End::kServer; }
  bool is_idle() const { return in_state_ == In::kHead && out_state_ == Out::kNone; }

  void expect_message();
  Result<void> take_ahead();
  Result<void> step();
  Error fail(Error why);
  void close_exchange();
  void write_head(std::string_view first_line, const Headers& headers);

  void on_head(Http1Head head) override;
  void on_request_head(Http1Head head);
  void on_response_head(Http1Head head);
  void on_body(std::string_view bytes) override;

  // Constant after construction.
  End end_;
  Http1Limits limits_;
  Observer& observer_;

  std::optional<Http1Parser> parser_;
  // Of the message that arrives.
  In in_state_ = In::kHead;
  std::string ahead_;  // bytes that were not taken yet
  bool has_begun_ = false;
  std::size_t interim_bytes_ = 0;
  bool is_interim_ = false;
  std::optional<Error> refusal_;  // of a head that parsed

  // Of the message that leaves.
  Out out_state_ = Out::kNone;
  Framing framing_ = Framing::kNoBody;
  std::size_t length_left_ = 0;
  std::string out_;
  std::size_t sent_ = 0;  // of out_

  bool is_head_request_ = false;  // its answer has no body
  bool is_http11_ = true;         // the peer
  bool keeps_alive_ = true;       // another exchange may follow
  bool is_over_ = false;
};

}  // namespace berth::net
