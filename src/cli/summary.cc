#include "cli/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds.h"
#include "api/members.h"
#include "api/object_reader.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "api/rules/pod_requests.h"
#include "api/rules/quoted.h"

namespace berth::cli {
namespace {

std::string text_of(const api::ResourceList& resources) {
  std::vector<std::string> parts;
  for (const auto& [name, quantity] : resources) {
    parts.push_back(fmt::format("{}={}", name, quantity.to_string()));
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, " "));
}

std::string or_none(std::string_view text) {
  return text.empty() ? "none" : std::string(text);
}

std::string details_of(const api::Pod& pod) {
  std::vector<std::string> claims;
  for (const auto& volume : pod.spec.volumes) {
    if (volume.source.persistent_volume_claim) {
      claims.push_back(volume.source.persistent_volume_claim->claim_name);
    } else if (volume.source.ephemeral) {
      claims.push_back(pod.metadata.name + "-" + volume.name + " (ephemeral)");
    }
  }
  return fmt::format("requests {}; claims {}; node {}",
                     text_of(api::pod_requests(pod)),
                     claims.empty() ? "none" : fmt::format("{}", fmt::join(claims, ", ")),
                     or_none(pod.spec.node_name));
}

std::string class_of(const api::PersistentVolumeClaim& claim) {
  const auto& name = claim.spec.storage_class_name;
  // Absent and empty differ: a claim that names no class gets the default one.
  return name ? or_none(*name) : "unset (cluster's default)";
}

std::string details_of(const api::PersistentVolumeClaim& claim) {
  return fmt::format("asks {}; class {}; volume {}",
                     text_of(claim.spec.resources.requests),
                     class_of(claim),
                     or_none(claim.spec.volume_name));
}

std::string details_of(const api::PersistentVolume& volume) {
  const auto& reference = volume.spec.claim_ref;
  return fmt::format("holds {}; class {}; claim {}",
                     text_of(volume.spec.capacity),
                     or_none(volume.spec.storage_class_name),
                     reference ? reference->ns + "/" + reference->name : "none");
}

std::string details_of(const api::StorageClass& storage_class) {
  return fmt::format("provisioner {}; binding {}",
                     or_none(storage_class.provisioner),
                     storage_class.volume_binding_mode.value_or("Immediate"));
}

std::string details_of(const api::Node& node) {
  return fmt::format(
      "allocatable {}; taints {}", text_of(node.status.allocatable), node.spec.taints.size());
}

// The details of an object if it is an `Object`.
template <typename Object>
void describe_if(const api::KindEntry& kind, const void* object, std::string& details) {
  if (*kind.kind == Object::kKind) {
    details = details_of(*static_cast<const Object*>(object));
  }
}

std::string name_of(const api::KindEntry& kind, const void* object) {
  const api::ObjectMeta* metadata = api::find_metadata(kind, object);
  if (metadata == nullptr) {
    return "";
  }
  return metadata->ns.empty() ? metadata->name : metadata->ns + "/" + metadata->name;
}

}  // namespace

Row summarise(const api::KindEntry& kind, const void* object) {
  Row row{.kind = std::string(kind.kind->name), .name = name_of(kind, object), .details = ""};
  describe_if<api::Pod>(kind, object, row.details);
  describe_if<api::PersistentVolumeClaim>(kind, object, row.details);
  describe_if<api::PersistentVolume>(kind, object, row.details);
  describe_if<api::StorageClass>(kind, object, row.details);
  describe_if<api::Node>(kind, object, row.details);
  return row;
}

void print_table(std::vector<Row> rows, std::ostream& out) {
  rows.insert(rows.begin(), {.kind = "KIND", .name = "NAME", .details = "DETAILS"});
  std::size_t kind_width = 0;
  std::size_t name_width = 0;
  for (Row& row : rows) {
    for (std::string* cell : {&row.kind, &row.name, &row.details}) {
      *cell = api::printable(*cell);
    }
    kind_width = std::max(kind_width, row.kind.size());
    name_width = std::max(name_width, row.name.size());
  }
  for (const Row& row : rows) {
    std::string line =
        fmt::format("{:<{}}  {:<{}}  {}", row.kind, kind_width, row.name, name_width, row.details);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

}  // namespace berth::cli
