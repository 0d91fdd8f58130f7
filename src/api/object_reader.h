// The objects of a text, whichever way it is written: YAML of several documents, JSON, protobuf.
// Lists are taken apart, so that a bad item hides no other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/kinds.h"
#include "api/objects/meta.h"
#include "base/error.h"

namespace berth::api {

// Who is told what was found. `where` is for people: "pod.yaml:12 items[3]".
struct ObjectTaker {
  std::function<void(const std::string& where, const KindEntry& kind, std::shared_ptr<void> object)>
      take;
  // A kind Berth does not read.
  std::function<void(const std::string& where, const codec::Expected& names)> leave_out;
  // What cannot be read; the rest is read all the same.
  std::function<void(const std::string& where, const Error& error)> fail;
};

class ObjectReader {
 public:
  // `taker` outlives it.
  explicit ObjectReader(const ObjectTaker& taker) : taker_(taker) {}

  // `name` is what the text is called. A text without any document is a failure.
  void read(const std::string& name, std::string_view text);

 private:
  void read_document(const std::string& where, std::string_view json);
  void read_items(const std::string& where,
                  std::string_view json,
                  const codec::Expected& names,
                  const KindEntry* kind);
  void read_object(const std::string& where, std::string_view json, const KindEntry& kind);
  void read_protobuf(const std::string& name, std::string_view bytes);
  void read_message(const std::string& where, std::string_view message, const KindEntry& kind);
  const KindEntry* find_kind(const std::string& where, const codec::Expected& names);

  const ObjectTaker& taker_;
  codec::JsonReader reader_;
};

// What an object of the kind says it is.
codec::Expected names_of(const KindEntry& kind);
// The kind's metadata in an object of it; every kind that stands alone has one.
const ObjectMeta* find_metadata(const KindEntry& kind, const void* object);

}  // namespace berth::api
