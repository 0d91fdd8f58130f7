// JSON as Kubernetes speaks it, driven by the field tables.
//
// Everything a reader accepts is valid JSON in valid UTF-8, also where it skips: a value it does
// not know is walked, not jumped over. Names are case sensitive; null means absent. A member or a
// key of a map that stands twice in its object is refused; what is skipped is not held against
// itself.
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

  Result<void> read_object(std::string_view text,
                           const Expected& expected,
                           const Table& table,
                           void* object,
                           const Mask* mask);
  // `items` is the member of the list that holds its objects.
  Result<void> read_list(std::string_view text,
                         const Expected& expected,
                         const Table& table,
                         const Field& items,
                         void* object,
                         const Mask* mask);

  std::unique_ptr<Buffers> buffers_;
};

// `expected` is what the document says it is, at its start.
std::string write_json(const Expected& expected, const Table& table, const void* object);

}  // namespace berth::api::codec
