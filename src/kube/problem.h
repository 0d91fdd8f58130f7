// What went wrong and is got over without help: told to who wants to log it, and nobody decides by
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "api/kind.h"
#include "base/error.h"

namespace berth::kube {

struct Problem {
  enum class What : std::uint8_t {
    kBadObject,      // could not be read: its last state that could stays in the store
    kRequestFailed,  // it is made again
  };

  What what = What::kBadObject;
  const api::Kind* kind = nullptr;
  Error error;
};

// Which failures of a request that is made again and again are news: the first one, one of another
// code than the last, and one after the request was answered.
class NewsOfFailure {
 public:
  bool is_news(ErrorCode code) { return std::exchange(last_, code) != code; }
  void answered() { last_.reset(); }

 private:
  std::optional<ErrorCode> last_;
};

}  // namespace berth::kube
