#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/base64.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "world/ledger_internal.h"
#include "world/list_internal.h"
#include "world/selector_internal.h"
#include "world/store.h"

namespace berth::world {
namespace {

// Where a list goes on, and in which state. On the wire: base64 of "resourceVersion
// namespace/name".
struct Place {
  std::uint64_t resource_version = 0;
  kube::ObjectKey first;
};

std::string token_of(const Place& place) {
  return api::to_base64(
      fmt::format("{} {}/{}", place.resource_version, place.first.ns, place.first.name));
}

std::optional<Place> place_of(std::string_view token) {
  const std::optional<std::string> text = api::from_base64(token);
  if (!text) {
    return std::nullopt;
  }
  const std::size_t space = text->find(' ');
  const std::size_t slash = text->find('/');
  if (space == std::string::npos || slash == std::string::npos || slash < space) {
    return std::nullopt;
  }
  Place place;
  const char* end = text->data() + space;
  const auto [stopped, error] = std::from_chars(text->data(), end, place.resource_version);
  if (error != std::errc() || stopped != end) {
    return std::nullopt;
  }
  place.first = {.ns = text->substr(space + 1, slash - space - 1), .name = text->substr(slash + 1)};
  return place;
}

Result<Place> begin_of(const kube::ListRequest& request,
                       const Selector& selector,
                       std::uint64_t newest,
                       std::uint64_t at) {
  if (request.limit < 0) {
    return Error(ErrorCode::kInvalid, "limit: must not be negative");
  }
  if (request.continue_token.empty()) {
    return Place{.resource_version = at, .first = {.ns = selector.ns(), .name = ""}};
  }
  if (!request.resource_version.empty() && request.resource_version != "0") {
    return Error(ErrorCode::kInvalid,
                 "a resourceVersion is not allowed with a continue token, which has its own");
  }
  std::optional<Place> place = place_of(request.continue_token);
  if (!place || place->resource_version > newest) {
    return Error(ErrorCode::kInvalid, "the continue token is not one of this server");
  }
  return *std::move(place);
}

}  // namespace

Result<kube::ListPage> list_objects(const Ledger& ledger,
                                    const kube::ListRequest& request,
                                    const Selector& selector,
                                    std::uint64_t at) {
  BERTH_TRY(const Place begin, begin_of(request, selector, ledger.resource_version(), at));
  if (begin.resource_version < ledger.compacted()) {
    return Error(
        ErrorCode::kGone,
        fmt::format("resourceVersion {} is too old: begin the list again", begin.resource_version));
  }
  kube::ListPage page;
  page.resource_version = std::to_string(begin.resource_version);
  const auto limit = static_cast<std::size_t>(request.limit);
  ledger.visit(selector.rules(),
               begin.first,
               begin.resource_version,
               [&](const kube::ObjectKey& key, const VersionPtr& version) {
                 if (!selector.ns().empty() && key.ns != selector.ns()) {
                   return false;
                 }
                 if (!selector.matches(key, *version)) {
                   return true;
                 }
                 if (limit != 0 && page.items.size() == limit) {
                   page.continue_token = token_of({begin.resource_version, key});
                   return false;
                 }
                 page.items.push_back(
                     {.encoding = kube::Document::Encoding::kJson, .bytes = version->text()});
                 return true;
               });
  return page;
}

}  // namespace berth::world
