// JSON as Kubernetes speaks it, driven by the field tables.
//
// Everything a reader accepts is valid JSON in valid UTF-8, also where it skips: a value it does
// not know is walked, not jumped over. Names are case sensitive; null means absent; a name that
// stands twice in an object is refused.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/codec/expected.h"
#include "api/mask.h"
#include "api/table.h"
#include "base/result.h"

namespace berth::api::codec {

// Keeps its buffers from one document to the next; one thread at a time.
class JsonReader {
 public:
  JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;
  ~JsonReader();

  // Fills `object`, which is default constructed, from one document.
  Result<void> read(std::string_view text,
                    const Expected& expected,
                    const Table& table,
                    void* object,
                    const Mask* mask);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

// `expected` is what the document says it is, at its start.
std::string write_json(const Expected& expected, const Table& table, const void* object);

}  // namespace berth::api::codec
