#include "volumes/attached_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "base/result.h"
#include "volumes/answer.h"
#include "volumes/migration.h"
#include "volumes/objects.h"
#include "volumes/rules.h"

namespace berth::volumes {
namespace {

std::string volume_id(std::string_view driver, std::string_view handle) {
  return fmt::format("{}/{}", driver, handle);
}

// A volume that does not exist yet is known by its claim. No driver's name has a line break, so the
// id is no real volume's.
std::string pending_id(std::string_view driver, std::string_view claim_key) {
  return fmt::format("{}\n{}", driver, claim_key);
}

// Looks at a pod's volumes one by one.
class Survey {
 public:
  Survey(const api::Pod& pod, PodStage stage, const Objects& objects, bool has_csi_node)
      : pod_(pod), stage_(stage), objects_(objects), has_csi_node_(has_csi_node) {}

  AttachedVolumes run() && {
    for (const api::Volume& volume : pod_.spec.volumes) {
      if (const std::optional<ClaimName> name = claim_name_of(pod_, volume)) {
        add_claim_volume(*name);
      } else {
        add_inline_volume(volume);
      }
      if (found_.fault && stage_ == PodStage::kNew) {
        break;
      }
    }
    sort_out();
    return std::move(found_);
  }

 private:
  void add_claim_volume(const ClaimName& name) {
    if (name.name.empty()) {
      return fail(Answer::error("PersistentVolumeClaim had no name"));
    }
    const std::string key = claim_key(pod_.metadata.ns, name.name);
    found_.depends_on.push_back(claim_dependency(key));
    const api::PersistentVolumeClaim* claim = objects_.find_claim(key);
    if (claim == nullptr) {
      if (stage_ == PodStage::kNew) {
        fail(Answer::unresolvable(
            fmt::format("looking up PVC {}: {}", key, claim_not_found_text(name.name))));
      }
      return;
    }
    if (name.is_ephemeral && !is_made_for(*claim, pod_)) {
      return fail(Answer::error(not_owner_text(*claim, pod_)));
    }
    add_claim(*claim);
  }

  void add_claim(const api::PersistentVolumeClaim& claim) {
    if (claim.spec.volume_name.empty()) {
      return add_pending(claim);
    }
    found_.depends_on.push_back(volume_dependency(claim.spec.volume_name));
    const api::PersistentVolume* volume = objects_.find_volume(claim.spec.volume_name);
    if (volume == nullptr) {
      // Deleted, or not made yet: counted as what its class would give it.
      return add_pending(claim);
    }
    if (volume->spec.source.csi) {
      return add(volume->spec.source.csi->driver, volume->spec.source.csi->volume_handle);
    }
    const std::optional<InTreePlugin> plugin = plugin_of(*volume);
    if (!plugin || !has_csi_node_) {
      return;
    }
    // A volume that cannot be translated cannot be attached either, and is not counted.
    if (const Result<std::string> handle = translated_handle(*volume)) {
      add(driver_of(*plugin), *handle);
    }
  }

  void add_pending(const api::PersistentVolumeClaim& claim) {
    const std::string_view class_name = class_of(claim);
    if (class_name.empty()) {
      return;
    }
    found_.depends_on.push_back(class_dependency(class_name));
    const api::StorageClass* storage_class = objects_.find_class(class_name);
    if (storage_class == nullptr || storage_class->provisioner.empty()) {
      return;
    }
    std::string_view driver = storage_class->provisioner;
    if (is_translatable(driver)) {
      const std::optional<InTreePlugin> plugin = find_plugin(driver);
      if (!plugin || !has_csi_node_) {
        return;
      }
      driver = driver_of(*plugin);
    }
    found_.volumes.push_back(
        {.id = pending_id(driver, claim_key(claim)), .driver = std::string(driver)});
  }

  void add_inline_volume(const api::Volume& volume) {
    const std::optional<InTreePlugin> plugin = plugin_of(volume);
    if (!plugin || !has_csi_node_) {
      return;
    }
    const Result<std::string> handle = translated_handle(volume);
    if (!handle) {
      return fail(Answer::error(fmt::format(
          "converting volume({}) from inline to csi: {}", volume.name, handle.error().text())));
    }
    const std::string_view driver = driver_of(*plugin);
    found_.volumes.push_back({.id = volume_id(driver, *handle), .driver = std::string(driver)});
  }

  void add(std::string_view driver, std::string_view handle) {
    if (!driver.empty() && !handle.empty()) {
      found_.volumes.push_back({.id = volume_id(driver, handle), .driver = std::string(driver)});
    }
  }

  void fail(Answer answer) {
    if (!found_.fault) {
      found_.fault = std::move(answer);
    }
  }

  void sort_out() {
    std::ranges::sort(found_.volumes, {}, &AttachedVolume::id);
    const auto same = std::ranges::unique(found_.volumes, {}, &AttachedVolume::id);
    found_.volumes.erase(same.begin(), same.end());
    std::ranges::sort(found_.depends_on);
    const auto again = std::ranges::unique(found_.depends_on);
    found_.depends_on.erase(again.begin(), again.end());
  }

  const api::Pod& pod_;
  const PodStage stage_;
  const Objects& objects_;
  const bool has_csi_node_;
  AttachedVolumes found_;
};

}  // namespace

std::string claim_dependency(std::string_view key) {
  return fmt::format("claim {}", key);
}

std::string volume_dependency(std::string_view name) {
  return fmt::format("volume {}", name);
}

std::string class_dependency(std::string_view name) {
  return fmt::format("class {}", name);
}

AttachedVolumes attached_volumes(const api::Pod& pod,
                                 PodStage stage,
                                 const Objects& objects,
                                 bool has_csi_node) {
  return Survey(pod, stage, objects, has_csi_node).run();
}

AttachedVolumes attached_volumes(const api::VolumeAttachment& attachment, const Objects& objects) {
  AttachedVolumes found;
  const std::optional<std::string>& name = attachment.spec.source.persistent_volume_name;
  const std::string& driver = attachment.spec.attacher;
  if (driver.empty() || !name) {
    return found;
  }
  found.depends_on.push_back(volume_dependency(*name));
  const api::PersistentVolume* volume = objects.find_volume(*name);
  if (volume != nullptr && volume->spec.source.csi) {
    found.volumes.push_back(
        {.id = volume_id(driver, volume->spec.source.csi->volume_handle), .driver = driver});
  }
  return found;
}

bool has_attachable_volumes(const api::Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes, [](const api::Volume& volume) {
    return volume.source.persistent_volume_claim || volume.source.ephemeral ||
           find_inline_driver(volume);
  });
}

}  // namespace berth::volumes
