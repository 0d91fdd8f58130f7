#include "cli/volumes_plan.h"

#include <istream>
#include <ostream>
#include <string>

#include "api/rules/quoted.h"
#include "app/volumes_plan/plan.h"
#include "app/volumes_plan/structured.h"
#include "app/volumes_plan/table.h"
#include "app/volumes_plan/tree.h"
#include "cli/exit_code.h"

namespace berth::cli {

ExitCode plan_volumes(const VolumesPlanArguments& arguments,
                      std::istream& in,
                      std::ostream& out,
                      std::ostream& err) {
  if (arguments.pod_file.empty() == arguments.pod.empty()) {
    err << "error: give the pod either by -f FILE or by its name\n";
    return ExitCode::kError;
  }
  const auto planned = app::plan_volumes(
      {.pod_file = arguments.pod_file,
       .pod = arguments.pod,
       .objects = arguments.objects,
       .server = {.kubeconfig = arguments.kubeconfig, .context = arguments.context}},
      in);
  if (!planned) {
    err << "error: " << api::printable(planned.error().text()) << "\n";
    return ExitCode::kError;
  }
  for (const std::string& remark : planned->remarks) {
    err << api::printable(remark) << "\n";
  }
  if (arguments.output == "json") {
    out << app::to_json(app::tree_of(planned->report));
  } else if (arguments.output == "yaml") {
    out << app::to_yaml(app::tree_of(planned->report));
  } else {
    out << app::table_of(planned->report, arguments.is_all);
  }
  return planned->report.fits.empty() ? ExitCode::kCannotBePlaced : ExitCode::kDone;
}

}  // namespace berth::cli
