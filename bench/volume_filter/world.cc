#include "volume_filter/world.h"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/codec/json.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/catalog.h"

namespace berth::bench {
namespace {

class Lines {
 public:
  // The object of one line; kNotFound when the line is of another kind.
  template <typename Object>
  Result<std::shared_ptr<const Object>> read(std::string_view line) {
    // Go writes the kind first.
    if (!line.starts_with(fmt::format("{{\"kind\":\"{}\"", Object::kKind.name))) {
      return Error(ErrorCode::kNotFound, "another kind");
    }
    BERTH_TRY(Object object, api::from_json<Object>(reader_, line));
    return std::make_shared<const Object>(std::move(object));
  }

  template <typename Object>
  Result<bool> add(std::string_view line, std::vector<std::shared_ptr<const Object>>& to) {
    auto object = read<Object>(line);
    if (object) {
      to.push_back(*std::move(object));
      return true;
    }
    if (object.error().code() == ErrorCode::kNotFound) {
      return false;
    }
    return std::move(object).error();
  }

 private:
  api::codec::JsonReader reader_;
};

Result<void> read_object(Lines& lines, std::string_view line, World& world) {
  BERTH_TRY(const bool is_volume, lines.add(line, world.volumes));
  if (is_volume) {
    return {};
  }
  BERTH_TRY(const bool is_claim, lines.add(line, world.claims));
  if (is_claim) {
    return {};
  }
  BERTH_TRY(const bool is_node, lines.add(line, world.nodes));
  if (is_node) {
    return {};
  }
  BERTH_TRY(const bool is_class, lines.add(line, world.classes));
  if (!is_class) {
    return Error(ErrorCode::kInvalid, fmt::format("unexpected object {}", line.substr(0, 40)));
  }
  return {};
}

template <typename Object>
std::shared_ptr<const Object> renewed(const Object& object, std::int64_t version) {
  auto copy = std::make_shared<Object>(object);
  copy->metadata.resource_version = std::to_string(version);
  return copy;
}

}  // namespace

Result<World> read_world(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  World world;
  Lines lines;
  std::string line;
  while (std::getline(stream, line) && !line.empty()) {
    if (auto read = read_object(lines, line, world); !read) {
      return std::move(read).error().in(file);
    }
  }
  while (std::getline(stream, line)) {
    Step step;
    BERTH_TRY(step.volume, lines.read<api::PersistentVolume>(line));
    std::getline(stream, line);
    BERTH_TRY(step.node, lines.read<api::Node>(line));
    std::getline(stream, line);
    BERTH_TRY(step.claim, lines.read<api::PersistentVolumeClaim>(line));
    std::getline(stream, line);
    BERTH_TRY(step.pod, lines.read<api::Pod>(line));
    world.steps.push_back(std::move(step));
  }
  if (world.nodes.empty() || world.volumes.empty() || world.steps.empty()) {
    return Error(ErrorCode::kInvalid, fmt::format("{}: not a world with pods", file));
  }
  return world;
}

Walk::Walk(const World& world) : world_(world), catalog_(std::make_unique<volumes::Catalog>()) {
  for (const auto& one : world.classes) {
    catalog_->set(one);
  }
  for (const auto& one : world.nodes) {
    catalog_->set(one);
  }
  for (const auto& one : world.volumes) {
    catalog_->set(one);
  }
  for (const auto& one : world.claims) {
    catalog_->set(one);
  }
}

Step Walk::next() {
  number_ = next_;
  next_ = (next_ + 1) % world_.steps.size();
  const Step& step = world_.steps[number_];
  return {.volume = renewed(*step.volume, ++version_),
          .node = renewed(*step.node, ++version_),
          .claim = step.claim,
          .pod = step.pod};
}

void Walk::apply(const Step& step) {
  catalog_->set(step.volume);
  catalog_->set(step.node);
  catalog_->set(step.claim);
}

void Walk::forget(const Step& step) {
  catalog_->remove_claim(step.claim->metadata.ns, step.claim->metadata.name);
}

}  // namespace berth::bench
