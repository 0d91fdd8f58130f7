// Protobuf as Kubernetes speaks it, driven by the field tables.
//
// An object on the wire is an envelope: the four bytes "k8s\0", then a message that names the kind
// (field 1: apiVersion = 1, kind = 2) and holds the object's own message (field 2). Integers are
// plain varints; times, quantities and int-or-string values are small messages.
#pragma once

#include <string>
#include <string_view>

#include "api/codec/expected.h"
#include "api/mask.h"
#include "api/table.h"
#include "base/result.h"

namespace berth::api::codec {

struct Envelope {
  std::string api_version;
  std::string kind;
  std::string_view message;  // points into the bytes that were opened
};

Result<Envelope> open_envelope(std::string_view bytes);
std::string seal_envelope(const Expected& names, std::string_view message);
// Whether the envelope holds what is expected.
Result<void> check_kind(const Envelope& envelope, const Expected& expected);

// Fills `object`, which is default constructed, from its message. What the table does not know is
// skipped, what the mask drops too. `kind` is for error messages.
Result<void> read_protobuf(std::string_view message,
                           std::string_view kind,
                           const Table& table,
                           void* object,
                           const Mask* mask);

std::string write_protobuf(const Table& table, const void* object);

}  // namespace berth::api::codec
