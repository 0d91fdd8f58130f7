#include "framework/points.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace berth::framework {
namespace {

struct Names {
  std::string_view name;
  std::string_view key;
};

constexpr std::array<Names, kPointCount> kNames{{
    {.name = "PreEnqueue", .key = "preEnqueue"},
    {.name = "QueueSort", .key = "queueSort"},
    {.name = "Validate", .key = ""},
    {.name = "PreFilter", .key = "preFilter"},
    {.name = "Filter", .key = "filter"},
    {.name = "PostFilter", .key = "postFilter"},
    {.name = "PreScore", .key = "preScore"},
    {.name = "Score", .key = "score"},
    {.name = "Reserve", .key = "reserve"},
    {.name = "Permit", .key = "permit"},
    {.name = "PreBind", .key = "preBind"},
    {.name = "Bind", .key = "bind"},
    {.name = "PostBind", .key = "postBind"},
    {.name = "QueueingHint", .key = ""},
    {.name = "PreFilterExtensionAddPod", .key = ""},
    {.name = "FilterExplain", .key = ""},
    {.name = "ScoreExtensionNormalize", .key = ""},
    {.name = "Unreserve", .key = ""},
    {.name = "PreBindPreFlight", .key = ""},
    {.name = "Rollback", .key = ""},
}};

}  // namespace

std::string_view name_of(Point point) {
  return kNames[static_cast<std::size_t>(point)].name;
}

std::string_view config_key(Point point) {
  return kNames[static_cast<std::size_t>(point)].key;
}

}  // namespace berth::framework
