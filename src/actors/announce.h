// Events about claims and volumes, as people find them with `kubectl describe`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/kind.h"
#include "kube/event_recorder_state.h"

namespace berth::actors {

enum class Tone : std::uint8_t { kNormal, kWarning };

template <api::TopLevel Object>
kube::RecordedEvent announce(const Object& about,
                             Tone tone,
                             std::string_view reason,
                             std::string note) {
  return {.regarding = {.kind = std::string(Object::kKind.name),
                        .ns = about.metadata.ns,
                        .name = about.metadata.name,
                        .uid = about.metadata.uid,
                        .api_version = Object::kKind.api_version(),
                        .resource_version = about.metadata.resource_version},
          .type = tone == Tone::kNormal ? "Normal" : "Warning",
          .reason = std::string(reason),
          .note = std::move(note)};
}

}  // namespace berth::actors
