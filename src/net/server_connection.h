// One connection of a server: requests in, each to a coroutine of the handler, answers out.
//
// Three tasks share it. The reader gives what comes to the protocol, which tells of requests; the
// writer sends what the protocol has to say; the watcher has a deadline for everything the peer is
// expected to do. Whatever ends the connection does so by ending the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "net/byte_stream.h"
#include "net/connection.h"
#include "net/frame_rate.h"
#include "net/http.h"
#include "net/http2_session.h"
#include "net/http_server.h"
#include "net/server_protocol.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::net {

struct ServerCall;

// What the connections of a server have in common.
struct ServerShared {
  ServerShared(rt::Runtime& on, HttpHandler& with, const HttpServerOptions& options)
      : runtime(on),
        handler(with),
        limits(options.limits),
        log(options.log),
        scheme(options.tls ? "https" : "http") {}

  rt::Runtime& runtime;
  HttpHandler& handler;
  ServerLimits limits;
  const Logger* log;
  std::string scheme;
  ServerCounters counters;
  std::size_t unanswered = 0;  // bytes of requests that are not answered yet
  rt::CancelSource stopping;
  std::uint64_t next_number = 0;
  std::map<std::uint64_t, ServerConnection*> open;  // by their number
};

class ServerConnection final : private ServerProtocol::Observer {
 public:
  // `first`: what was read of the stream already.
  ServerConnection(ServerShared& shared,
                   std::unique_ptr<ByteStream> stream,
                   Protocol protocol,
                   std::string first,
                   rt::CancelToken token);
  ~ServerConnection() override;

  // Until the connection is over.
  rt::Task<void> run();
  // Takes no more requests, and ends when those under way are answered.
  void stop();

 private:
  class Writer;
  class Running;

  rt::Task<void> read();
  rt::Task<void> write();
  rt::Task<void> leave();
  rt::Task<void> watch();
  rt::Task<void> answer(std::shared_ptr<ServerCall> call, Running running);

  void take(std::string_view bytes);
  void end();
  void cut(std::uint64_t& counter);
  void cut_by(const Error& why);
  void wake_writer();

  std::shared_ptr<ServerCall> find(StreamId stream) const;
  void begin_answer(ServerCall& call, const ResponseHead& head);
  void answer_whole(ServerCall& call, ResponseHead head, std::string_view body);
  void refuse(ServerCall& call, int status, std::string_view why);
  // Counts bytes that the call holds until it is answered; refuses it where they are too many.
  bool has_room(ServerCall& call, std::size_t bytes);
  void finish(ServerCall& call, bool is_whole);
  void forget(StreamId stream, bool is_wanted);

  void note_taken();
  void note_idle_frames();
  rt::Time deadline_of(const ServerCall& call) const;
  rt::Time next_deadline() const;
  void watch_until(rt::Time deadline);
  void enforce();
  void enforce(ServerCall& call);

  void on_begin(StreamId stream) override;
  void on_request(StreamId stream, RequestHead head) override;
  void on_data(StreamId stream, std::string_view bytes) override;
  void on_end(StreamId stream) override;
  void on_close(StreamId stream) override;
  void on_reset(StreamId stream) override;

  ServerShared& shared_;
  const std::uint64_t number_;
  const ServerLimits& limits_;
  rt::Runtime& runtime_;
  std::unique_ptr<ByteStream> stream_;
  bool is_http2_;
  std::string first_;
  std::unique_ptr<ServerProtocol> protocol_;

  std::map<StreamId, std::shared_ptr<ServerCall>> calls_;
  std::size_t handlers_ = 0;  // that have not returned
  // Nothing more is taken from the peer; what there is to say is said, and that is all.
  bool is_ending_ = false;
  bool is_stopping_ = false;
  rt::Time last_read_{};
  rt::Time idle_since_{};
  rt::Time pinged_at_ = rt::kNever;  // kNever: no answer is waited for
  rt::Time watched_until_{};
  FrameRate idle_frames_;

  rt::Event has_output_;
  rt::WaitQueue wants_input_;
  rt::WaitQueue touched_;  // the watcher has an earlier deadline
  rt::Event ended_;
  rt::Scope scope_;
};

}  // namespace berth::net
