#include "framework/bind_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "framework/snapshot.h"

namespace berth::framework {
namespace {

// What every version begins with, whatever else it has.
struct Head {
  std::int32_t version = 0;
  std::int32_t readable_from = 0;

  static const api::Table& table() {
    static const api::Table table{
        api::json_field("version", &Head::version),
        api::json_field("readableFrom", &Head::readable_from),
    };
    return table;
  }
};

template <typename Document>
Result<Document> read(std::string_view text) {
  api::codec::JsonReader reader;
  Document document;
  if (auto done = reader.read(text, {}, Document::table(), &document, nullptr); !done) {
    return std::move(done).error();
  }
  return document;
}

std::string write(const RecordedContext& context) {
  return api::codec::write_json({}, RecordedContext::table(), &context);
}

Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

Result<void> check_part(const PluginPart& part) {
  if (part.plugin.empty() || part.text.empty()) {
    return invalid(fmt::format("the part of plugin '{}' lacks its name or text", part.plugin));
  }
  if (part.text.size() > RecordedContext::kPartTextMax) {
    return Error(ErrorCode::kLimit,
                 fmt::format("the part of plugin '{}' has {} bytes, more than {}",
                             part.plugin,
                             part.text.size(),
                             RecordedContext::kPartTextMax));
  }
  return {};
}

Result<void> check(const RecordedContext& context) {
  if (context.pod_ns.empty() || context.pod_name.empty() || context.pod_uid.empty()) {
    return invalid("the pod lacks its namespace, name or uid");
  }
  if (context.node.empty()) {
    return invalid("the node lacks its name");
  }
  for (auto part = context.parts.begin(); part != context.parts.end(); ++part) {
    if (auto good = check_part(*part); !good) {
      return good;
    }
    const auto same = [&part](const PluginPart& other) { return other.plugin == part->plugin; };
    if (std::any_of(context.parts.begin(), part, same)) {
      return invalid(fmt::format("plugin '{}' has two parts", part->plugin));
    }
  }
  return {};
}

Error too_long(std::size_t size) {
  return {ErrorCode::kLimit,
          fmt::format("a plan has {} bytes, more than {}", size, RecordedContext::kTextMax)};
}

Result<RecordedContext> read_context(std::string_view text) {
  BERTH_TRY(const Head head, read<Head>(text));
  if (head.version < 1 || head.readable_from < 1 || head.readable_from > head.version) {
    return invalid(
        fmt::format("version {} readable from {}: not a plan", head.version, head.readable_from));
  }
  if (head.readable_from > RecordedContext::kVersion) {
    return invalid(fmt::format("a plan of version {}, which version {} cannot read",
                               head.version,
                               RecordedContext::kVersion));
  }
  BERTH_TRY(RecordedContext context, read<RecordedContext>(text));
  // What this version wrote has one form only: whatever differs was written by somebody who means
  // something by it that we would not do.
  if (context.version == RecordedContext::kVersion && write(context) != text) {
    return invalid("not as this version writes it: a member is unknown, or in another place");
  }
  if (auto good = check(context); !good) {
    return std::move(good).error();
  }
  return context;
}

}  // namespace

const api::Table& PluginPart::table() {
  using S = PluginPart;
  static const api::Table table{
      api::json_field("plugin", &S::plugin),
      api::json_field("text", &S::text),
  };
  return table;
}

const api::Table& RecordedContext::table() {
  using S = RecordedContext;
  static const api::Table table{
      api::json_field("version", &S::version),
      api::json_field("readableFrom", &S::readable_from),
      api::json_field("podNamespace", &S::pod_ns),
      api::json_field("podName", &S::pod_name),
      api::json_field("podUid", &S::pod_uid),
      api::json_field("node", &S::node),
      api::json_field("parts", &S::parts),
  };
  return table;
}

Result<std::string> to_text(const RecordedContext& context) {
  if (auto good = check(context); !good) {
    return std::move(good).error().in("recording a plan");
  }
  std::string text = write(context);
  if (text.size() > RecordedContext::kTextMax) {
    return too_long(text.size());
  }
  return text;
}

Result<RecordedContext> context_from_text(std::string_view text) {
  if (text.size() > RecordedContext::kTextMax) {
    return too_long(text.size());
  }
  auto context = read_context(text);
  if (!context) {
    return std::move(context).error().in("reading a plan");
  }
  return context;
}

std::string_view BindContext::part_of(std::string_view plugin) const {
  const auto found = std::ranges::find(parts, plugin, &PluginPart::plugin);
  return found != parts.end() ? std::string_view(found->text) : std::string_view();
}

RecordedContext BindContext::recorded() const {
  return {.pod_ns = pod->metadata.ns,
          .pod_name = pod->metadata.name,
          .pod_uid = pod->metadata.uid,
          .node = node,
          .parts = parts};
}

Result<BindContextPtr> restore_context(std::string_view text, PodPtr pod) {
  BERTH_ASSERT(pod != nullptr, "a plan is restored for a pod");
  BERTH_TRY(RecordedContext recorded, context_from_text(text));
  const api::ObjectMeta& meta = pod->metadata;
  if (recorded.pod_ns != meta.ns || recorded.pod_name != meta.name ||
      recorded.pod_uid != meta.uid) {
    return Error(ErrorCode::kConflict,
                 fmt::format("the plan is that of pod {}/{} with uid {}, not of {}/{} with uid {}",
                             api::shown(recorded.pod_ns),
                             api::shown(recorded.pod_name),
                             api::shown(recorded.pod_uid),
                             meta.ns,
                             meta.name,
                             meta.uid));
  }
  return BindContextPtr(
      std::make_shared<const BindContext>(BindContext{.pod = std::move(pod),
                                                      .node = std::move(recorded.node),
                                                      .parts = std::move(recorded.parts)}));
}

}  // namespace berth::framework
