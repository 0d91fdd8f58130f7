// What a server under test answers.
//
//   /echo    the body of the request
//   /fail    an error
//   /half    some of an answer, then an error
//   /stream  pieces of 10,000 bytes, as many as are taken, or until the server stops
//   /large   ten megabytes, whole
//   /never   nothing, until the peer is gone
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/http_server.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::net::testing_support {

class TestHandler final : public HttpHandler {
 public:
  explicit TestHandler(rt::Runtime& runtime) : runtime_(runtime) {}

  rt::Task<Result<void>> handle(ServerRequest request, ResponseWriter* writer) override {
    ++asked;
    last = request.head;
    const std::string& path = request.head.path;
    if (path == "/fail") {
      co_return Error(ErrorCode::kInternal, "a secret");
    }
    if (path == "/half") {
      writer->begin({.status = 200});
      static_cast<void>(co_await writer->write("half", {}));
      co_return Error(ErrorCode::kInternal, "a secret");
    }
    if (path == "/stream") {
      co_return co_await stream(writer);
    }
    if (path == "/never") {
      co_await rt::sleep_until(runtime_, rt::kNever, writer->gone());
      ++gone;
      co_return Error(ErrorCode::kCancelled, "gone");
    }
    constexpr std::size_t kLarge = 10'000'000;
    const std::string body = path == "/large" ? std::string(kLarge, 'x') : request.body;
    writer->answer({.status = 200, .headers = {{"content-type", "text/plain"}}}, body);
    co_return Result<void>();
  }

  int asked = 0;
  int gone = 0;
  std::size_t pieces = 0;
  RequestHead last;

 private:
  rt::Task<Result<void>> stream(ResponseWriter* writer) {
    constexpr std::size_t kPiece = 10'000;
    writer->begin({.status = 200});
    while (!writer->stopping().is_cancelled()) {
      auto written =
          co_await writer->write(std::string(kPiece, 'p'), {.token = writer->stopping()});
      if (writer->gone().is_cancelled()) {
        ++gone;
        co_return written;
      }
      pieces += written ? 1 : 0;
    }
    co_return Result<void>();
  }

  rt::Runtime& runtime_;
};

}  // namespace berth::net::testing_support
