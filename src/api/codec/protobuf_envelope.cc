#include <fmt/format.h>

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/expected.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_cursor.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::api::codec {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);

// What the envelope says of the object it holds.
struct TypeMeta {
  std::string api_version;
  std::string kind;

  static const Table& table() {
    static const Table table{
        field("apiVersion", 1, &TypeMeta::api_version),
        field("kind", 2, &TypeMeta::kind),
    };
    return table;
  }
};

Error malformed() {
  return {ErrorCode::kInvalid, "malformed protobuf envelope"};
}

}  // namespace

Result<Envelope> open_envelope(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return Error(ErrorCode::kInvalid,
                 "not a Kubernetes protobuf object: it does not start with k8s");
  }
  ProtobufCursor message(bytes.substr(kMagic.size()));
  Envelope envelope;
  bool has_object = false;
  while (!message.is_at_end()) {
    std::uint32_t number = 0;
    WireType wire_type{};
    std::string_view content;
    if (!message.take_key(number, wire_type)) {
      return malformed();
    }
    const bool is_known = number == 1 || number == 2;
    const bool is_taken = is_known ? wire_type == WireType::kBytes && message.take_bytes(content)
                                   : message.skip(wire_type);
    if (!is_taken) {
      return malformed();
    }
    if (number == 1) {
      TypeMeta names;
      if (auto read = read_protobuf(content, "typeMeta", TypeMeta::table(), &names, nullptr);
          !read) {
        return std::move(read).error();
      }
      envelope.api_version = std::move(names.api_version);
      envelope.kind = std::move(names.kind);
    } else if (number == 2) {
      envelope.message = content;
      has_object = true;
    }
  }
  if (!has_object) {
    return Error(ErrorCode::kInvalid, "the protobuf envelope holds no object");
  }
  return envelope;
}

Result<void> check_kind(const Envelope& envelope, const Expected& expected) {
  if (envelope.kind == expected.kind && envelope.api_version == expected.api_version) {
    return {};
  }
  return Error(ErrorCode::kInvalid,
               fmt::format("is {} of {}, expected {} of {}",
                           shown(envelope.kind),
                           shown(envelope.api_version),
                           expected.kind,
                           expected.api_version));
}

std::string seal_envelope(const Expected& names, std::string_view message) {
  const TypeMeta type_meta{.api_version = names.api_version, .kind = names.kind};
  std::string bytes(kMagic);
  protozero::pbf_writer envelope(bytes);
  envelope.add_message(1, write_protobuf(TypeMeta::table(), &type_meta));
  envelope.add_bytes(2, protozero::data_view(message.data(), message.size()));
  return bytes;
}

}  // namespace berth::api::codec
