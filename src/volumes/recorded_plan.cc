#include "volumes/recorded_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/table.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/rules.h"

namespace berth::volumes {
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

std::string write(const RecordedPlan& plan) {
  return api::codec::write_json({}, RecordedPlan::table(), &plan);
}

Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

// A write is guarded by uid and version, so a plan without them is no plan.
Result<void> check_object(const RecordedObject& object, std::string_view what) {
  if (object.name.empty() || object.uid.empty() || object.version.empty()) {
    return invalid(fmt::format("{} '{}' lacks its name, uid or version", what, object.name));
  }
  return {};
}

Result<void> check_claim(const RecordedObject& claim) {
  if (claim.ns.empty()) {
    return invalid(fmt::format("claim '{}' lacks its namespace", claim.name));
  }
  return check_object(claim, "claim");
}

Result<void> check_distinct(std::vector<std::string> names, std::string_view what) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) {
    return invalid(fmt::format("{} '{}' stands twice", what, *twice));
  }
  return {};
}

Result<void> check_binding(const RecordedBinding& binding) {
  if (auto good = check_claim(binding.claim); !good) {
    return good;
  }
  if (auto good = check_object(binding.volume, "volume"); !good) {
    return good;
  }
  if (binding.reference != RecordedBinding::kWhole && binding.reference != RecordedBinding::kUid &&
      binding.reference != RecordedBinding::kNothing) {
    return invalid(fmt::format(
        "volume '{}': '{}' is no part of a reference", binding.volume.name, binding.reference));
  }
  return {};
}

Result<void> check_room(const RecordedRoom& room, std::int32_t version) {
  if (version < 2) {
    return invalid("room in a pool is unknown to version 1");
  }
  if (room.storage_class.empty() || room.name.empty() || room.version.empty() || room.bytes < 0) {
    return invalid(fmt::format("room in pool '{}' lacks its class, name or version, or is negative",
                               room.name));
  }
  return {};
}

Result<void> check(const RecordedPlan& plan) {
  if (plan.pod.ns.empty() || plan.pod.name.empty() || plan.pod.uid.empty()) {
    return invalid("the pod lacks its namespace, name or uid");
  }
  if (plan.node.name.empty()) {
    return invalid("the node lacks its name");
  }
  std::vector<std::string> claims;
  std::vector<std::string> volumes;
  for (const RecordedBinding& binding : plan.bindings) {
    if (auto good = check_binding(binding); !good) {
      return good;
    }
    claims.push_back(claim_key(binding.claim.ns, binding.claim.name));
    volumes.push_back(binding.volume.name);
  }
  for (const RecordedProvision& provision : plan.provisions) {
    if (auto good = check_claim(provision.claim); !good) {
      return good;
    }
    if (provision.room) {
      if (auto good = check_room(*provision.room, plan.version); !good) {
        return good;
      }
    }
    claims.push_back(claim_key(provision.claim.ns, provision.claim.name));
  }
  if (auto good = check_distinct(std::move(claims), "claim"); !good) {
    return good;
  }
  return check_distinct(std::move(volumes), "volume");
}

Error too_long(std::size_t size) {
  return {ErrorCode::kLimit,
          fmt::format("a plan has {} bytes, more than {}", size, RecordedPlan::kTextMax)};
}

Result<void> check_version(const Head& head) {
  if (head.version < 1 || head.readable_from < 1 || head.readable_from > head.version) {
    return invalid(fmt::format(
        "version {} readable from {}: not a recorded plan", head.version, head.readable_from));
  }
  if (head.readable_from > RecordedPlan::kVersion) {
    return invalid(fmt::format("a plan of version {}, which version {} cannot read",
                               head.version,
                               RecordedPlan::kVersion));
  }
  return {};
}

Result<RecordedPlan> read_plan(std::string_view text) {
  BERTH_TRY(const Head head, read<Head>(text));
  if (auto good = check_version(head); !good) {
    return std::move(good).error();
  }
  BERTH_TRY(RecordedPlan plan, read<RecordedPlan>(text));
  // What a version that we know wrote has one form only: whatever differs was written by somebody
  // who means something by it that we would not do.
  if (plan.version <= RecordedPlan::kVersion && write(plan) != text) {
    return invalid("not as its version writes it: a member is unknown, or in another place");
  }
  if (auto good = check(plan); !good) {
    return std::move(good).error();
  }
  return plan;
}

}  // namespace

const api::Table& RecordedObject::table() {
  using S = RecordedObject;
  static const api::Table table{
      api::json_field("ns", &S::ns),
      api::json_field("name", &S::name),
      api::json_field("uid", &S::uid),
      api::json_field("rv", &S::version),
  };
  return table;
}

const api::Table& RecordedBinding::table() {
  using S = RecordedBinding;
  static const api::Table table{
      api::json_field("claim", &S::claim),
      api::json_field("volume", &S::volume),
      api::json_field("reference", &S::reference),
      api::json_field("mark", &S::adds_mark),
  };
  return table;
}

const api::Table& RecordedRoom::table() {
  using S = RecordedRoom;
  static const api::Table table{
      api::json_field("class", &S::storage_class),
      api::json_field("ns", &S::ns),
      api::json_field("name", &S::name),
      api::json_field("rv", &S::version),
      api::json_field("bytes", &S::bytes),
  };
  return table;
}

const api::Table& RecordedProvision::table() {
  using S = RecordedProvision;
  static const api::Table table{
      api::json_field("claim", &S::claim),
      api::json_field("before", &S::before),
      api::json_field("ours", &S::is_ours),
      api::json_field("room", &S::room),
  };
  return table;
}

const api::Table& RecordedPlan::table() {
  using S = RecordedPlan;
  static const api::Table table{
      api::json_field("version", &S::version),
      api::json_field("readableFrom", &S::readable_from),
      api::json_field("pod", &S::pod),
      api::json_field("node", &S::node),
      api::json_field("planner", &S::planner),
      api::json_field("bindings", &S::bindings),
      api::json_field("provisions", &S::provisions),
  };
  return table;
}

Result<std::string> to_text(const RecordedPlan& plan) {
  if (auto good = check(plan); !good) {
    return std::move(good).error().in("recording a plan");
  }
  std::string text = write(plan);
  if (text.size() > RecordedPlan::kTextMax) {
    return too_long(text.size());
  }
  return text;
}

Result<RecordedPlan> plan_from_text(std::string_view text) {
  if (text.size() > RecordedPlan::kTextMax) {
    return too_long(text.size());
  }
  auto plan = read_plan(text);
  if (!plan) {
    return std::move(plan).error().in("reading a recorded plan");
  }
  return plan;
}

}  // namespace berth::volumes
