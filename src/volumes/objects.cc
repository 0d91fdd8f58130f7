#include "volumes/objects.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "api/rules/quoted.h"

namespace berth::volumes {
namespace {

std::string not_found_text(std::string_view resource, std::string_view name) {
  return fmt::format("{} {} not found", resource, api::quoted(name));
}

}  // namespace

std::string claim_not_found_text(std::string_view name) {
  return not_found_text("persistentvolumeclaim", name);
}

std::string volume_not_found_text(std::string_view name) {
  return not_found_text("persistentvolume", name);
}

std::string class_not_found_text(std::string_view name) {
  return not_found_text("storageclass.storage.k8s.io", name);
}

}  // namespace berth::volumes
