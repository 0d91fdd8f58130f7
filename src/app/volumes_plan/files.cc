#include "app/volumes_plan/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/codec/expected.h"
#include "api/kind.h"
#include "api/kinds.h"
#include "api/object_reader.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "app/input.h"
#include "app/volumes_plan/objects.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/rules.h"

namespace berth::app {
namespace {

constexpr std::array<std::string_view, 3> kEndings = {".yaml", ".yml", ".json"};

// Adds an object to the list of its kind, if it is of that kind.
template <typename Object>
bool add_if(const api::KindEntry& kind,
            const std::shared_ptr<void>& object,
            std::vector<std::shared_ptr<Object>>& list) {
  if (*kind.kind != Object::kKind) {
    return false;
  }
  list.push_back(std::static_pointer_cast<Object>(object));
  return true;
}

// False for a kind a plan has no use for.
bool add(const api::KindEntry& kind, const std::shared_ptr<void>& object, PlanObjects& objects) {
  return add_if(kind, object, objects.nodes) || add_if(kind, object, objects.volumes) ||
         add_if(kind, object, objects.claims) || add_if(kind, object, objects.classes) ||
         add_if(kind, object, objects.drivers) || add_if(kind, object, objects.csi_nodes) ||
         add_if(kind, object, objects.capacities);
}

bool is_used(const api::KindEntry& kind) {
  PlanObjects scratch;
  return add(kind, nullptr, scratch);
}

std::string name_of(const api::Kind& kind, const api::ObjectMeta& metadata) {
  return kind.scope == api::Scope::kCluster ? metadata.name
                                            : volumes::claim_key(metadata.ns, metadata.name);
}

Error twice(const std::string& what, const std::string& first, const std::string& second) {
  return Error(ErrorCode::kExists, fmt::format("{}: {} stands in {} already", second, what, first));
}

}  // namespace

Result<void> PlanFiles::read_file(const std::string& path) {
  std::error_code ignored;
  const std::string place =
      path == "-" ? path : std::filesystem::weakly_canonical(path, ignored).string();
  if (std::ranges::find(read_, place) != read_.end()) {
    return {};
  }
  read_.push_back(place);
  const std::string name = input_name(path);
  const auto text = read_input(path, in_);
  if (!text) {
    return Error(text.error()).in(name);
  }
  std::optional<Error> error;
  const api::ObjectTaker taker{
      .take =
          [this](const std::string& where,
                 const api::KindEntry& kind,
                 const std::shared_ptr<void>& object) {
            Found found{.where = where, .kind = &kind, .object = object};
            if (*kind.kind == api::Pod::kKind) {
              pods_.push_back(std::move(found));
            } else if (is_used(kind)) {
              found_.push_back(std::move(found));
            } else {
              ++left_out_[std::string(kind.kind->name)];
            }
          },
      .leave_out = [this](const std::string&,
                          const api::codec::Expected& names) { ++left_out_[names.kind]; },
      .fail =
          [&error](const std::string& where, const Error& what) {
            if (!error) {
              error = Error(what).in(where);
            }
          },
  };
  api::ObjectReader(taker).read(name, *text);
  return error ? Result<void>(*std::move(error)) : Result<void>();
}

Result<std::vector<std::string>> PlanFiles::files_of(const std::string& folder) const {
  std::error_code error;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string ending = it->path().extension().string();
    if (std::ranges::find(kEndings, ending) != kEndings.end() && !it->is_directory(error)) {
      files.push_back(it->path().string());
    }
  }
  if (error) {
    return Error(ErrorCode::kUnavailable, "cannot be read: " + error.message()).in(folder);
  }
  if (files.empty()) {
    return Error(ErrorCode::kNotFound, "holds no .yaml, .yml or .json file").in(folder);
  }
  std::ranges::sort(files);
  return files;
}

Result<void> PlanFiles::read(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    return read_file(path);
  }
  BERTH_TRY(const std::vector<std::string> files, files_of(path));
  for (const std::string& file : files) {
    if (auto read = read_file(file); !read) {
      return std::move(read).error();
    }
  }
  return {};
}

Result<api::Pod> PlanFiles::take_pod(const std::string& of) {
  const std::string name = input_name(of);
  if (pods_.empty()) {
    return Error(ErrorCode::kNotFound, "holds no Pod").in(name);
  }
  if (pods_.size() > 1) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("holds {} pods, and a plan is made for one: the second is at {}",
                             pods_.size(),
                             pods_[1].where))
        .in(name);
  }
  const auto pod = std::static_pointer_cast<api::Pod>(pods_[0].object);
  pods_.clear();
  return *pod;
}

Result<api::Pod> PlanFiles::take_pod(const std::string& key, const std::string& default_namespace) {
  const auto found = std::ranges::find_if(pods_, [&](const Found& candidate) {
    const auto pod = std::static_pointer_cast<api::Pod>(candidate.object);
    const std::string& ns = pod->metadata.ns.empty() ? default_namespace : pod->metadata.ns;
    return volumes::claim_key(ns, pod->metadata.name) == key;
  });
  if (found == pods_.end()) {
    return Error(ErrorCode::kNotFound, fmt::format("there is no pod {} in the files", key));
  }
  const auto pod = std::static_pointer_cast<api::Pod>(found->object);
  pods_.erase(found);
  return *pod;
}

Result<PlanObjects> PlanFiles::take_objects(const std::string& ns) {
  PlanObjects objects;
  std::map<std::string, std::string> places;  // by what it is
  for (const Found& found : found_) {
    const api::ObjectMeta* metadata = api::find_metadata(*found.kind, found.object.get());
    if (metadata->name.empty()) {
      return Error(ErrorCode::kInvalid, fmt::format("{} without a name", found.kind->kind->name))
          .in(found.where);
    }
    add(*found.kind, found.object, objects);
    if (*found.kind->kind == api::PersistentVolumeClaim::kKind && metadata->ns.empty()) {
      objects.claims.back()->metadata.ns = ns;
    }
    const std::string what =
        fmt::format("{} {}", found.kind->kind->name, name_of(*found.kind->kind, *metadata));
    const auto [place, is_new] = places.emplace(what, found.where);
    if (!is_new) {
      return twice(what, place->second, found.where);
    }
  }
  found_.clear();
  return objects;
}

std::string PlanFiles::left_out() const {
  std::string text;
  const auto append = [&text](std::size_t count, std::string_view kind) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  };
  for (const auto& [kind, count] : left_out_) {
    append(count, kind);
  }
  if (!pods_.empty()) {
    append(pods_.size(), api::Pod::kKind.name);
  }
  return text;
}

}  // namespace berth::app
