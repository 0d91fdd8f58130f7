// A plan's objects from files: YAML, JSON or protobuf, lists taken apart.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/kinds.h"
#include "api/objects/pod.h"
#include "app/volumes_plan/objects.h"
#include "base/result.h"

namespace berth::app {

class PlanFiles {
 public:
  // `in` is what "-" means.
  explicit PlanFiles(std::istream& in) : in_(in) {}

  // A file. The error is one line, of the first thing that is wrong.
  Result<void> read_file(const std::string& path);
  // A file, or a folder whose .yaml, .yml and .json files are read in the order of their names.
  // What was read already is not read again.
  Result<void> read(const std::string& path);

  // The only pod so far. `of` is what was read.
  Result<api::Pod> take_pod(const std::string& of);
  // One of the pods, by "namespace/name".
  Result<api::Pod> take_pod(const std::string& key, const std::string& default_namespace);

  // All the rest. What says no namespace is in `ns`. An object that is there twice is an error.
  Result<PlanObjects> take_objects(const std::string& ns);

  // "2 Service, 1 Deployment": what a plan has no use for. Empty when there is none.
  std::string left_out() const;

 private:
  struct Found {
    std::string where;
    const api::KindEntry* kind = nullptr;
    std::shared_ptr<void> object;
  };

  Result<std::vector<std::string>> files_of(const std::string& folder) const;

  std::istream& in_;
  std::vector<std::string> read_;
  std::vector<Found> found_;
  std::vector<Found> pods_;
  std::map<std::string, std::size_t> left_out_;
};

}  // namespace berth::app
