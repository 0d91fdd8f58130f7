#include "net/http2_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>
#include <sys/types.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "net/frame_counter.h"
#include "net/http.h"

namespace berth::net {
namespace {

std::string_view view_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

std::uint8_t* bytes_of(const std::string& text) {
  // nghttp2 copies and does not write.
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

nghttp2_nv pair_of(const std::string& name, const std::string& value) {
  return {bytes_of(name), bytes_of(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> pairs_of(const Headers& first, const Headers& rest) {
  std::vector<nghttp2_nv> pairs;
  pairs.reserve(first.size() + rest.size());
  for (const Headers* headers : {&first, &rest}) {
    for (const Header& header : *headers) {
      pairs.push_back(pair_of(header.name, header.value));
    }
  }
  return pairs;
}

Error nghttp2_error(int code, std::string_view where) {
  return Error(ErrorCode::kUnavailable, nghttp2_strerror(code)).in(where);
}

// As many as RFC 9113 wants every server to allow, until it says how many it does.
constexpr std::size_t kStreamsBeforeSettings = 100;

// What a stream carries: the head of the peer's message as it arrives, and our body as it leaves.
struct Stream {
  Headers pseudo;
  Headers headers;
  std::size_t header_bytes = 0;
  bool has_head = false;   // told; more headers are trailers
  bool has_ended = false;  // the peer's side
  std::string body;
  std::size_t sent = 0;      // of `body`
  bool is_complete = false;  // nothing is added to `body` any more
  bool has_sent_end = false;
};

std::string take(Headers& headers, std::string_view name) {
  const auto found = std::ranges::find(headers, name, &Header::name);
  return found == headers.end() ? std::string() : std::move(found->value);
}

}  // namespace

// nghttp2 calls back with this as its user data.
struct Http2Session::Parts {
  Parts(End which, const Http2Limits& with, Observer& to)
      : end(which),
        limits(with),
        observer(to),
        frames(which == End::kServer ? NGHTTP2_CLIENT_MAGIC_LEN : 0),
        session(make_session(), &nghttp2_session_del) {
    std::vector<nghttp2_settings_entry> settings = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams_max},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.header_bytes_max}};
    if (end == End::kClient) {
      settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
    }
    check(nghttp2_submit_settings(
        session.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
    check(nghttp2_session_set_local_window_size(
        session.get(), NGHTTP2_FLAG_NONE, 0, static_cast<std::int32_t>(limits.connection_window)));
  }

  static void check(int result) { BERTH_ASSERT(result == 0, "nghttp2 has memory"); }

  nghttp2_session* make_session() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* options = nullptr;
    check(nghttp2_session_callbacks_new(&callbacks));
    check(nghttp2_option_new(&options));
    // The peer may send more when what it sent has been used, not when it arrived.
    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, &on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &on_close);
    nghttp2_session* made = nullptr;
    check(end == End::kClient ? nghttp2_session_client_new2(&made, callbacks, this, options)
                              : nghttp2_session_server_new2(&made, callbacks, this, options));
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(options);
    return made;
  }

  static Parts& of(void* user_data) { return *static_cast<Parts*>(user_data); }

  Stream* find(StreamId id) {
    const auto found = streams.find(id);
    return found == streams.end() ? nullptr : &found->second;
  }

  static int on_begin_headers(nghttp2_session* /*session*/,
                              const nghttp2_frame* frame,
                              void* user_data) {
    Parts& parts = of(user_data);
    const auto [stream, is_new] = parts.streams.try_emplace(frame->hd.stream_id);
    stream->second.pseudo.clear();
    stream->second.headers.clear();
    if (is_new && parts.end == End::kServer) {
      parts.observer.on_begin(frame->hd.stream_id);
    }
    return 0;
  }

  // NOLINTNEXTLINE(readability-function-size): nghttp2 calls it so
  static int on_header(nghttp2_session* session,
                       const nghttp2_frame* frame,
                       const std::uint8_t* name,
                       std::size_t name_size,
                       const std::uint8_t* value,
                       std::size_t value_size,
                       std::uint8_t /*flags*/,
                       void* user_data) {
    Parts& parts = of(user_data);
    Stream* stream = parts.find(frame->hd.stream_id);
    if (stream == nullptr) {
      return 0;
    }
    constexpr std::size_t kOverhead = 32;  // as RFC 9113 counts
    stream->header_bytes += name_size + value_size + kOverhead;
    if (stream->header_bytes > parts.limits.header_bytes_max) {
      nghttp2_submit_rst_stream(
          session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_ENHANCE_YOUR_CALM);
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    Headers& into = name_size > 0 && name[0] == ':' ? stream->pseudo : stream->headers;
    into.push_back(
        {std::string(view_of(name, name_size)), std::string(view_of(value, value_size))});
    return 0;
  }

  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    Parts& parts = of(user_data);
    const StreamId id = frame->hd.stream_id;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        parts.tell_head(id);
        parts.tell_end(id, frame->hd.flags);
        break;
      case NGHTTP2_DATA:
        parts.tell_end(id, frame->hd.flags);
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
          parts.streams_allowed = nghttp2_session_get_remote_settings(
              parts.session.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
        }
        break;
      case NGHTTP2_GOAWAY:
        parts.observer.on_goaway(frame->goaway.last_stream_id,
                                 static_cast<Reset>(frame->goaway.error_code),
                                 view_of(frame->goaway.opaque_data, frame->goaway.opaque_data_len));
        break;
      case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) {
          parts.observer.on_pong();
        }
        break;
      default:
        break;
    }
    return 0;
  }

  // Some servers open a window after every request, clients after some kilobytes of an answer.
  std::uint64_t paid_frames() const {
    constexpr std::uint64_t kOfStream = 4;
    constexpr std::uint64_t kBytesOfWindow = 1024;
    return completed * kOfStream + body_bytes_sent / kBytesOfWindow;
  }

  void tell_head(StreamId id) {
    Stream* stream = find(id);
    if (stream == nullptr) {
      return;
    }
    if (stream->has_head) {
      stream->headers = {};  // nobody asks for trailers
      return;
    }
    if (end == End::kServer) {
      stream->has_head = true;
      observer.on_request(id,
                          {.method = take(stream->pseudo, ":method"),
                           .scheme = take(stream->pseudo, ":scheme"),
                           .authority = take(stream->pseudo, ":authority"),
                           .path = take(stream->pseudo, ":path"),
                           .headers = std::move(stream->headers)});
      return;
    }
    const std::string text = take(stream->pseudo, ":status");
    int status = 0;
    std::from_chars(text.data(), text.data() + text.size(), status);
    constexpr int kFirst = 100;
    constexpr int kFinal = 200;  // below are interim answers: another head follows
    constexpr int kLast = 599;
    if (status < kFirst || status > kLast) {
      nghttp2_submit_rst_stream(session.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR);
      return;
    }
    if (status >= kFinal) {
      stream->has_head = true;
      observer.on_response(id, {.status = status, .headers = std::move(stream->headers)});
    }
  }

  void tell_end(StreamId id, std::uint8_t flags) {
    Stream* stream = find(id);
    if (stream != nullptr && stream->has_head && (flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      stream->has_ended = true;
      observer.on_end(id);
    }
  }

  static int on_data(nghttp2_session* /*session*/,
                     std::uint8_t /*flags*/,
                     std::int32_t id,
                     const std::uint8_t* bytes,
                     std::size_t size,
                     void* user_data) {
    of(user_data).observer.on_data(id, view_of(bytes, size));
    return 0;
  }

  static int on_close(nghttp2_session* /*session*/,
                      std::int32_t id,
                      std::uint32_t why,
                      void* user_data) {
    Parts& parts = of(user_data);
    const Stream* stream = parts.find(id);
    if (stream == nullptr) {
      return 0;
    }
    // A peer may say "no error" and not have waited for the answer.
    const bool has_answered = parts.end == End::kClient || stream->has_sent_end;
    const bool is_whole = stream->has_ended && has_answered && why == NGHTTP2_NO_ERROR;
    parts.streams.erase(id);
    if (is_whole) {
      ++parts.completed;
      parts.observer.on_close(id);
    } else {
      ++parts.resets;
      parts.observer.on_reset(id, static_cast<Reset>(why));
    }
    // Who sends more than it may on one stream does not stop because the stream is gone.
    if (why == NGHTTP2_FLOW_CONTROL_ERROR) {
      nghttp2_session_terminate_session(parts.session.get(), why);
    }
    return 0;
  }

  // nghttp2 asks for the next piece of a body.
  // NOLINTNEXTLINE(readability-function-size): likewise
  static ssize_t read_body(nghttp2_session* /*session*/,
                           std::int32_t id,
                           std::uint8_t* buffer,
                           std::size_t size,
                           std::uint32_t* flags,
                           nghttp2_data_source* /*source*/,
                           void* user_data) {
    Stream* stream = of(user_data).find(id);
    if (stream == nullptr) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    const std::size_t count = std::min(size, stream->body.size() - stream->sent);
    std::copy_n(stream->body.data() + stream->sent, count, buffer);
    stream->sent += count;
    of(user_data).body_bytes_sent += count;
    if (stream->sent == stream->body.size()) {
      stream->body.clear();
      stream->sent = 0;
      if (stream->is_complete) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        stream->has_sent_end = true;
      } else if (count == 0) {
        return NGHTTP2_ERR_DEFERRED;
      }
    }
    return static_cast<ssize_t>(count);
  }

  End end;
  Http2Limits limits;
  Observer& observer;
  boost::unordered_flat_map<StreamId, Stream> streams;
  std::size_t streams_allowed = kStreamsBeforeSettings;  // to us
  std::uint64_t resets = 0;                              // streams that ended early
  std::uint64_t completed = 0;                           // streams that ended well
  std::uint64_t body_bytes_sent = 0;
  FrameCounter frames;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session;
};

Http2Session::Http2Session(End end, const Http2Limits& limits, Observer& observer)
    : parts_(std::make_unique<Parts>(end, limits, observer)) {}
Http2Session::~Http2Session() = default;

Result<void> Http2Session::receive(std::string_view bytes) {
  parts_->frames.see(bytes, parts_->paid_frames());
  const ssize_t taken = nghttp2_session_mem_recv(
      parts_->session.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) {
    return nghttp2_error(static_cast<int>(taken), "HTTP/2");
  }
  if (parts_->end == End::kServer &&
      parts_->resets > parts_->completed + parts_->limits.resets_max) {
    nghttp2_session_terminate_session(parts_->session.get(), NGHTTP2_ENHANCE_YOUR_CALM);
    return Error(ErrorCode::kLimit, "the peer opens streams and does not want the answers")
        .in("HTTP/2");
  }
  return {};
}

std::string Http2Session::output(std::size_t max) {
  std::string bytes;
  while (bytes.size() < max) {
    const std::uint8_t* frame = nullptr;
    const ssize_t size = nghttp2_session_mem_send(parts_->session.get(), &frame);
    if (size <= 0) {
      break;  // nothing, or no memory: then there is nothing to be said
    }
    bytes.append(view_of(frame, static_cast<std::size_t>(size)));
  }
  return bytes;
}

bool Http2Session::wants_output() const {
  return nghttp2_session_want_write(parts_->session.get()) != 0;
}

bool Http2Session::is_over() const {
  return !wants_output() && nghttp2_session_want_read(parts_->session.get()) == 0;
}

std::size_t Http2Session::free_streams() const {
  if (nghttp2_session_check_request_allowed(parts_->session.get()) == 0) {
    return 0;
  }
  const std::size_t allowed = parts_->streams_allowed;
  return allowed - std::min(allowed, parts_->streams.size());
}

Result<StreamId> Http2Session::request(const RequestHead& head, std::string body) {
  if (free_streams() == 0) {
    return Error(ErrorCode::kUnavailable, "the connection takes no more requests");
  }
  const Headers pseudo = {{":method", head.method},
                          {":scheme", head.scheme},
                          {":authority", head.authority},
                          {":path", head.path}};
  const auto pairs = pairs_of(pseudo, head.headers);
  nghttp2_data_provider provider{.source = {}, .read_callback = &Parts::read_body};
  const StreamId id = nghttp2_submit_request(parts_->session.get(),
                                             nullptr,
                                             pairs.data(),
                                             pairs.size(),
                                             body.empty() ? nullptr : &provider,
                                             nullptr);
  if (id < 0) {
    return nghttp2_error(id, "HTTP/2 request");
  }
  parts_->streams[id] = {.body = std::move(body), .is_complete = true};
  return id;
}

void Http2Session::respond(StreamId id, const ResponseHead& head) {
  const Headers pseudo = {{":status", std::to_string(head.status)}};
  const auto pairs = pairs_of(pseudo, head.headers);
  const nghttp2_data_provider provider{.source = {}, .read_callback = &Parts::read_body};
  // An error means that the stream is gone; the observer has been told.
  nghttp2_submit_response(parts_->session.get(), id, pairs.data(), pairs.size(), &provider);
}

void Http2Session::send(StreamId id, std::string_view bytes) {
  if (Stream* stream = parts_->find(id)) {
    // What has left goes first: a body that never pauses would keep it for ever.
    if (stream->sent > stream->body.size() / 2) {
      stream->body.erase(0, stream->sent);
      stream->sent = 0;
    }
    stream->body += bytes;
    nghttp2_session_resume_data(parts_->session.get(), id);
  }
}

void Http2Session::finish(StreamId id) {
  if (Stream* stream = parts_->find(id)) {
    stream->is_complete = true;
    nghttp2_session_resume_data(parts_->session.get(), id);
  }
}

std::size_t Http2Session::unsent(StreamId id) const {
  const Stream* stream = parts_->find(id);
  return stream == nullptr ? 0 : stream->body.size() - stream->sent;
}

void Http2Session::consume(StreamId id, std::size_t bytes) {
  // Of a stream that is gone the connection's share is given back all the same.
  nghttp2_session_consume(parts_->session.get(), id, bytes);
}

void Http2Session::reset(StreamId id, Reset why) {
  nghttp2_submit_rst_stream(
      parts_->session.get(), NGHTTP2_FLAG_NONE, id, static_cast<std::uint32_t>(why));
}

void Http2Session::ping() {
  nghttp2_submit_ping(parts_->session.get(), NGHTTP2_FLAG_NONE, nullptr);
}

void Http2Session::go_away() {
  nghttp2_submit_goaway(parts_->session.get(),
                        NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(parts_->session.get()),
                        NGHTTP2_NO_ERROR,
                        nullptr,
                        0);
}

void Http2Session::terminate(Reset why) {
  nghttp2_session_terminate_session(parts_->session.get(), static_cast<std::uint32_t>(why));
}

std::uint64_t Http2Session::idle_frames() const {
  return parts_->frames.idle();
}

}  // namespace berth::net
