// Reading protobuf's wire format: keys, varints and length-delimited fields, nothing more.
//
// By hand, because it is the innermost loop of everything we read: every check is inlined and a
// failure is a value. docs/design/001-field-tables.md has the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::api::codec {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// A position in a message. What is taken is moved over. Every function returns false when the
// message does not hold what is asked for; the position is of no use then.
class ProtobufCursor {
 public:
  explicit ProtobufCursor(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  bool is_at_end() const { return at_ == end_; }

  bool take_key(std::uint32_t& number, WireType& wire_type) {
    std::uint64_t key = 0;
    if (!take_varint(key)) {
      return false;
    }
    number = static_cast<std::uint32_t>(key >> 3U);
    wire_type = static_cast<WireType>(key & 7U);
    constexpr std::uint64_t kNumberMax = (std::uint64_t{1} << 29U) - 1;
    return number != 0 && key >> 3U <= kNumberMax;
  }

  bool take_varint(std::uint64_t& value) {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
      value = static_cast<unsigned char>(*at_++);
      return true;
    }
    return take_long_varint(value);
  }

  bool take_bytes(std::string_view& bytes) {
    std::uint64_t length = 0;
    if (!take_varint(length) || length > static_cast<std::uint64_t>(end_ - at_)) {
      return false;
    }
    bytes = {at_, static_cast<std::size_t>(length)};
    at_ += length;
    return true;
  }

  bool skip(WireType wire_type) {
    std::uint64_t ignored = 0;
    std::string_view bytes;
    switch (wire_type) {
      case WireType::kVarint:
        return take_varint(ignored);
      case WireType::kFixed64:
        return skip_bytes(8);
      case WireType::kBytes:
        return take_bytes(bytes);
      case WireType::kFixed32:
        return skip_bytes(4);
    }
    return false;  // groups and what does not exist
  }

 private:
  bool take_long_varint(std::uint64_t& value) {
    std::uint64_t result = 0;
    const char* at = at_;
    for (unsigned shift = 0; shift < 64 && at != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at++);
      result |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) {
        value = result;
        at_ = at;
        return true;
      }
    }
    return false;
  }

  bool skip_bytes(std::ptrdiff_t count) {
    if (end_ - at_ < count) {
      return false;
    }
    at_ += count;
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace berth::api::codec
