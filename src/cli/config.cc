#include "cli/config.h"

#include <istream>
#include <ostream>
#include <string>

#include "api/rules/quoted.h"
#include "app/config/check_config.h"
#include "app/input.h"
#include "cli/exit_code.h"

namespace berth::cli {

ExitCode check_config(const std::string& file,
                      std::istream& in,
                      std::ostream& out,
                      std::ostream& err) {
  const std::string name = app::input_name(file);
  const auto text = app::read_input(file, in);
  if (!text) {
    err << "error: " << api::printable(name + " " + text.error().text()) << "\n";
    return ExitCode::kError;
  }
  const app::ConfigReport report = app::check_config(name, *text);
  for (const std::string& problem : report.problems) {
    err << "error: " << api::printable(problem) << "\n";
  }
  for (const std::string& remark : report.remarks) {
    err << "note: " << api::printable(remark) << "\n";
  }
  out << report.table;
  return report.problems.empty() ? ExitCode::kDone : ExitCode::kError;
}

ExitCode print_default_config(std::ostream& out) {
  out << app::default_config();
  return ExitCode::kDone;
}

}  // namespace berth::cli
