#include "base/interner.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "base/result.h"

namespace berth {

namespace {

// Large enough that a cluster's words need few blocks, small enough not to matter when unused.
constexpr std::size_t kBlockBytes = std::size_t{16} * 1024;
// A longer text gets a block of its own, so that at most a quarter of a shared block is wasted.
constexpr std::size_t kSharedTextBytesMax = kBlockBytes / 4;

}  // namespace

std::size_t Interner::Hash::operator()(Id id) const {
  return TextHash{}((*texts)[id]);
}

std::size_t Interner::Hash::operator()(std::string_view text) const {
  return TextHash{}(text);
}

Interner::Interner(std::size_t texts_max)
    : texts_max_(texts_max), index_(0, Hash{&texts_}, Equal{&texts_}) {
  BERTH_ASSERT(texts_max <= kTextsMax, "ids have 32 bits");
}

Result<Interner::Id> Interner::intern(std::string_view text) {
  if (const auto known = find(text)) {
    return *known;
  }
  if (texts_.size() >= texts_max_) {
    return Error(ErrorCode::kLimit,
                 "more than " + std::to_string(texts_max_) + " distinct texts to remember");
  }
  const auto id = static_cast<Id>(texts_.size());
  texts_.push_back(store(text));
  index_.insert(id);
  return id;
}

std::optional<Interner::Id> Interner::find(std::string_view text) const {
  const auto found = index_.find(text);
  if (found == index_.end()) {
    return std::nullopt;
  }
  return *found;
}

std::string_view Interner::text(Id id) const {
  BERTH_ASSERT(id < texts_.size(), "an id was given out by this interner");
  return texts_[id];
}

std::string_view Interner::store(std::string_view text) {
  if (text.size() > kSharedTextBytesMax) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
    std::copy(text.begin(), text.end(), blocks_.back().get());
    return {blocks_.back().get(), text.size()};
  }
  if (text.size() > free_bytes_) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
    free_ = blocks_.back().get();
    free_bytes_ = kBlockBytes;
  }
  std::copy(text.begin(), text.end(), free_);
  const std::string_view stored(free_, text.size());
  free_ += text.size();
  free_bytes_ -= text.size();
  return stored;
}

}  // namespace berth
