// `berth volumes plan`: which nodes could take a pod's volumes, and why the others cannot.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace berth::cli {

struct VolumesPlanArguments {
  std::string pod_file;              // "-" is `in`
  std::string pod;                   // "namespace/name"; this or a file
  std::vector<std::string> objects;  // files and folders; none: a cluster is asked
  std::string kubeconfig;
  std::string context;
  std::string output = "table";  // or "json", "yaml"
  bool is_all = false;           // nodes are not cut
};

// kCannotBePlaced when no node can take the pod's volumes. What is wrong with the question is one
// line on `err`.
ExitCode plan_volumes(const VolumesPlanArguments& arguments,
                      std::istream& in,
                      std::ostream& out,
                      std::ostream& err);

}  // namespace berth::cli
