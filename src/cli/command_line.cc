// The one file that includes CLI11. A command gets its options as a plain struct.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "api/rules/quoted.h"
#include "app/simulate.h"
#include "cli/exit_code.h"
#include "cli/ping.h"
#include "cli/read.h"
#include "cli/simulate.h"

namespace berth::cli {
namespace {

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

bool is_ci() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

class CommandLine {
 public:
  explicit CommandLine(const Streams& streams) : streams_(streams) {
    app_.set_version_flag("--version", "berth " BERTH_VERSION);
    app_.require_subcommand(1);
    add_read();
    add_simulate();
    add_ping();
  }

  ExitCode run(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return explain(error);
    }
    return command_();
  }

 private:
  // Options are filled while the line is parsed, so they live as long as this does.
  void add_read() {
    CLI::App* command =
        app_.add_subcommand("read", "show what Berth understands of the objects in a file");
    command
        ->add_option("-f,--file",
                     read_.files,
                     "YAML, JSON or protobuf; - is standard input; may stand several times")
        ->required()
        ->type_name("FILE");
    command->add_option("-o,--output", read_.output, "table, or json: one object a line")
        ->check(CLI::IsMember({"table", "json"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    command->callback([this] {
      command_ = [this] { return read_files(read_, streams_.in, streams_.out, streams_.err); };
    });
  }

  void add_simulate() {
    CLI::App* command =
        app_.add_subcommand("sim", "run simulated worlds, one for each seed, in virtual time");
    command->add_option("suite", simulate_.suite, "which suite")->required()->type_name("SUITE");
    command->add_option("--seeds", simulate_.seeds, "A..B, or one seed")
        ->type_name("SEEDS")
        ->capture_default_str();
    command->add_option("--faults", simulate_.faults, "names separated by commas, all or none")
        ->type_name("LIST")
        ->capture_default_str();
    command->add_flag("--trace", simulate_.trace, "write what happens, line by line");
    command->add_flag("--twice", simulate_.twice, "run every seed twice and compare the traces");
    command->add_flag("--crash-everywhere",
                      simulate_.crash_everywhere,
                      "a run for each write of a seed: a crash before, during and after it");
    command
        ->add_option("--crash-at",
                     simulate_.crash_at,
                     "one crash at the K-th write, before, during or after it")
        ->type_name("K:PHASE")
        ->excludes("--crash-everywhere");
    command->add_flag("--need-every-fault,!--no-need-every-fault",
                      simulate_.needs_every_fault,
                      "fail when a fault never hit; the default where CI=true");
    command->footer("suites:\n" + app::list_of_suites());
    simulate_.needs_every_fault = is_ci();
    command->callback(
        [this] { command_ = [this] { return simulate(simulate_, streams_.out, streams_.err); }; });
  }

  void add_ping() {
    CLI::App* command =
        app_.add_subcommand("ping", "ask the API server for its version: can it be reached?");
    command
        ->add_option("--kubeconfig",
                     ping_.kubeconfig,
                     "default: KUBECONFIG, the service account of this pod, ~/.kube/config")
        ->type_name("FILE");
    command->add_option("--context", ping_.context, "default: current-context of the kubeconfig")
        ->type_name("NAME");
    command->callback(
        [this] { command_ = [this] { return ping(ping_, streams_.out, streams_.err); }; });
  }

  // --help and --version come this way too.
  ExitCode explain(const CLI::ParseError& error) {
    const std::vector<std::string> rest = app_.remaining();
    if (app_.get_subcommands().empty() && !rest.empty()) {
      streams_.err << "error: there is no command '" << api::shown(rest.front())
                   << "'; berth --help lists them\n";
      return ExitCode::kError;
    }
    return app_.exit(error, streams_.out, streams_.err) == 0 ? ExitCode::kDone : ExitCode::kError;
  }

  Streams streams_;
  CLI::App app_{"Berth schedules and binds Kubernetes pods that need more than CPU.", "berth"};
  ReadOptions read_;
  SimulateArguments simulate_;
  PingArguments ping_;
  std::function<ExitCode()> command_;
};

}  // namespace

int run(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err) {
  ExitCode code = CommandLine({.in = in, .out = out, .err = err}).run(argc, argv);
  // A full disk or a closed pipe shows only now.
  if (!out.flush()) {
    err << "error: not everything could be written to standard output\n";
    code = ExitCode::kError;
  }
  return static_cast<int>(code);
}

}  // namespace berth::cli
