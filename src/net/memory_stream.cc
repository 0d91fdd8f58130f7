#include "net/memory_stream.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/wake_error.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

// One direction.
struct Pipe {
  Pipe(rt::Runtime& runtime, std::size_t limit)
      : capacity(limit), readable(runtime, "bytes to read"), writable(runtime, "room to write") {}

  void end() {
    is_ended = true;
    readable.notify_all();
    writable.notify_all();
  }

  std::size_t capacity;
  std::string bytes;
  bool is_ended = false;
  rt::WaitQueue readable;
  rt::WaitQueue writable;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out, std::size_t read_max)
      : in_(std::move(in)), out_(std::move(out)), read_max_(read_max) {}
  ~MemoryStream() override { close(); }

  rt::Task<Result<std::size_t>> read(std::span<char> buffer, rt::Until until) override {
    while (in_->bytes.empty()) {
      if (is_closed_) {
        co_return Error(ErrorCode::kUnavailable, "the connection is closed");
      }
      if (in_->is_ended) {
        co_return std::size_t{0};
      }
      const rt::Wake wake = co_await in_->readable.wait(until);
      if (wake != rt::Wake::kNotified) {
        co_return error_of(wake);
      }
    }
    const std::size_t count = std::min({buffer.size(), in_->bytes.size(), read_max_});
    std::copy_n(in_->bytes.begin(), count, buffer.begin());
    in_->bytes.erase(0, count);
    in_->writable.notify_one();
    co_return count;
  }

  rt::Task<Result<void>> write(std::string_view bytes, rt::Until until) override {
    while (!bytes.empty()) {
      if (out_->is_ended) {
        co_return Error(ErrorCode::kUnavailable, "the connection is closed");
      }
      const std::size_t room = out_->capacity - std::min(out_->capacity, out_->bytes.size());
      if (room == 0) {
        const rt::Wake wake = co_await out_->writable.wait(until);
        if (wake != rt::Wake::kNotified) {
          co_return error_of(wake);
        }
        continue;
      }
      const std::size_t count = std::min(room, bytes.size());
      out_->bytes.append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      out_->readable.notify_one();
    }
    co_return Result<void>();
  }

  rt::Task<Result<void>> end(rt::Until /*until*/) override {
    out_->end();
    co_return Result<void>();
  }

  void close() override {
    is_closed_ = true;
    in_->end();
    out_->end();
  }

 private:
  std::shared_ptr<Pipe> in_;
  std::shared_ptr<Pipe> out_;
  std::size_t read_max_;
  bool is_closed_ = false;
};

}  // namespace

StreamPair make_stream_pair(rt::Runtime& runtime, std::size_t capacity, std::size_t read_max) {
  auto there = std::make_shared<Pipe>(runtime, capacity);
  auto back = std::make_shared<Pipe>(runtime, capacity);
  return {std::make_unique<MemoryStream>(back, there, read_max),
          std::make_unique<MemoryStream>(there, back, read_max)};
}

}  // namespace berth::net
