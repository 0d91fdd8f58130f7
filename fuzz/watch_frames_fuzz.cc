// The body of a watch in both encodings. The first byte chooses which, and into what pieces the
// rest is cut; how it is cut must not matter.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "input.h"
#include "kube/client.h"
#include "kube/http/watch_frames.h"

using berth::fuzz::require;
using berth::kube::Document;
using berth::kube::http::WatchFrames;

namespace {

struct Outcome {
  std::vector<std::pair<berth::kube::WatchEventType, std::string>> events;
  std::string error;
  bool is_between_events = false;

  bool operator==(const Outcome&) const = default;
};

Outcome run(std::string_view bytes, std::size_t piece, Document::Encoding encoding) {
  WatchFrames frames(encoding);
  Outcome outcome;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    frames.add(bytes.substr(at, piece));
    while (true) {
      auto event = frames.next();
      if (!event) {
        outcome.error = event.error().text();
        require(!outcome.error.empty(), "an error says something");
        return outcome;
      }
      if (!*event) {
        break;
      }
      require((*event)->object.encoding == encoding, "an event is written as its watch is");
      require((*event)->object.bytes.size() <= bytes.size(), "an event is part of the body");
      outcome.events.emplace_back((*event)->type, (*event)->object.bytes);
    }
  }
  outcome.is_between_events = frames.is_between_events();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto encoding =
      (data[0] & 1U) != 0 ? Document::Encoding::kProtobuf : Document::Encoding::kJson;
  const std::size_t piece = 1 + (data[0] >> 1U);
  require(run(bytes, size, encoding) == run(bytes, piece, encoding), "the cuts change nothing");
  return 0;
}
