// Many at once create, change and delete objects of several kinds, each its own ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/error.h"
#include "kube/client.h"
#include "rt/cancel.h"
#include "rt/random.h"
#include "rt/runtime.h"
#include "rt/task.h"

namespace berth::tests {

// An object of a kind that a server takes.
struct WrittenKind {
  const api::Kind* kind;
  // JSON with a name in it; `value` makes no two the same.
  std::string (*body)(std::string_view name, std::uint64_t value);
};

class Writers {
 public:
  Writers(rt::Runtime& runtime, kube::Client& client, std::string ns)
      : runtime_(runtime), client_(client), ns_(std::move(ns)) {}

  // Writes until so many have succeeded, all writers together, or the token is cancelled.
  rt::Task<void> write(std::size_t number,
                       rt::Random random,
                       std::uint64_t enough,
                       rt::CancelToken token);
  // One more of each kind, when nothing goes wrong any more. The version of each, by kind.
  rt::Task<void> write_last(std::map<const api::Kind*, std::string>* versions,
                            rt::CancelToken token);

  std::uint64_t done() const { return done_; }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  static constexpr std::size_t kNames = 8;  // of each kind and writer

  enum class Operation : std::uint8_t { kCreate, kChange, kDelete };
  // Whether it succeeded.
  rt::Task<bool> write_once(const WrittenKind* kind,
                            std::string name,
                            Operation operation,
                            std::uint64_t value,
                            bool* exists);
  void count(std::string_view what, std::string_view kind, std::string_view outcome);

  rt::Runtime& runtime_;
  kube::Client& client_;
  std::string ns_;
  std::uint64_t done_ = 0;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace berth::tests
