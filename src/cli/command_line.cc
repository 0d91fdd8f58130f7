// The one file that includes CLI11. A command gets its options as a plain struct.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/quoted.h"
#include "app/simulate.h"
#include "cli/binder.h"
#include "cli/config.h"
#include "cli/crds.h"
#include "cli/demo.h"
#include "cli/exit_code.h"
#include "cli/ping.h"
#include "cli/read.h"
#include "cli/simulate.h"
#include "cli/volumes_plan.h"

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
    add_binder();
    add_config();
    add_crds();
    add_demo();
    add_read();
    add_simulate();
    add_ping();
    add_volumes();
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
  void add_binder() {
    CLI::App* command = app_.add_subcommand(
        "binder", "bind pods on a cluster, as its BindRequests say, until SIGTERM");
    add_server(command, binder_.kubeconfig, binder_.context);
    add_election(command, binder_);
    add_work(command, binder_);
    add_surroundings(command, binder_);
    add_swallowed(command);
    command->footer(
        "The options of the KAI binder are taken too; those that mean nothing here yet are named "
        "in the log.");
    command->callback([this] { command_ = [this] { return run_binder(binder_, streams_.err); }; });
  }

  static void add_election(CLI::App* command, BinderArguments& to) {
    command->add_flag("--leader-elect,!--no-leader-elect",
                      to.elects,
                      "act only while holding a lease, so that several may run; on unless said");
    text_option(command,
                "--leader-elect-resource-namespace",
                to.lease_namespace,
                "NAMESPACE",
                "where the lease is; the pod's or the context's, else kube-system");
    text_option(command,
                "--leader-elect-resource-name",
                to.lease_name,
                "NAME",
                "of the lease; that of the KAI binder unless said");
    text_option(command,
                "--leader-elect-lease-duration",
                to.lease_duration,
                "TIME",
                "how long others wait for one who is silent");
    text_option(command,
                "--leader-elect-renew-deadline",
                to.renew_deadline,
                "TIME",
                "how long one acts without a renewal");
    text_option(command,
                "--leader-elect-retry-period",
                to.retry_period,
                "TIME",
                "between two renewals or tries");
  }

  static void add_work(CLI::App* command, BinderArguments& to) {
    command
        ->add_option(
            "--max-concurrent-reconciles", to.workers, "BindRequests that are worked on at once")
        ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
        ->type_name("N")
        ->capture_default_str();
    command
        ->add_option("--rate-limiter-base-delay",
                     to.backoff_min,
                     "seconds before something that failed is tried again; 0.02 unless said")
        ->check(CLI::Range(0.0, 3600.0))
        ->type_name("SECONDS");
    command
        ->add_option("--rate-limiter-max-delay",
                     to.backoff_max,
                     "the same after many failures; 10 unless said")
        ->check(CLI::Range(0.0, 86400.0))
        ->type_name("SECONDS");
    text_option(command,
                "--shutdown-grace-period",
                to.drain_max,
                "TIME",
                "after SIGTERM, for what has begun");
  }

  static void add_surroundings(CLI::App* command, BinderArguments& to) {
    text_option(command,
                "--metrics-bind-address",
                to.metrics_address,
                "ADDRESS",
                "of /metrics: :PORT, ADDRESS:PORT, or 0 for none");
    text_option(command,
                "--health-probe-bind-address",
                to.health_address,
                "ADDRESS",
                "of /healthz and /readyz, likewise");
    command->add_option("--log-format,--zap-encoder", to.log_format, "text, or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->transform(CLI::Transformer(std::map<std::string, std::string>{{"console", "text"}}))
        ->type_name("FORMAT")
        ->capture_default_str();
    command->add_option("--log-level,--zap-log-level", to.log_level, "debug, info, warn or error")
        ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
        ->type_name("LEVEL")
        ->capture_default_str();
  }

  // What an installation of KAI passes to its binder and has no meaning here yet: it is taken, so
  // that the program can be swapped, and said in the log.
  void add_swallowed(CLI::App* command) {
    for (const char* name : {"scheduler-name",
                             "resource-reservation-namespace",
                             "resource-reservation-service-account",
                             "resource-reservation-pod-image",
                             "resource-reservation-app-label",
                             "resource-reservation-allocation-timeout",
                             "resource-reservation-pod-resources",
                             "scale-adjust-namespace",
                             "qps",
                             "burst",
                             "volume-binding-timeout-seconds",
                             "runtime-class-name",
                             "feature-gates",
                             "zap-stacktrace-level",
                             "zap-time-encoding"}) {
      swallow(command->add_option(std::string("--") + name), name);
    }
    for (const char* name : {"fake-gpu-nodes", "cdi-enabled", "zap-devel"}) {
      swallow(command->add_flag(std::string("--") + name), name);
    }
  }

  void swallow(CLI::Option* option, std::string name) {
    option->group("")->each([this, name = std::move(name)](const std::string&) {
      binder_.without_effect.push_back(name);
    });
  }

  static void add_server(CLI::App* command, std::string& kubeconfig, std::string& context) {
    text_option(command,
                "--kubeconfig",
                kubeconfig,
                "FILE",
                "which cluster; else KUBECONFIG, the pod's service account, ~/.kube/config");
    text_option(command, "--context", context, "NAME", "of the kubeconfig; its current one");
  }

  static void text_option(CLI::App* command,
                          const std::string& name,
                          std::string& value,
                          const std::string& type,
                          const std::string& help) {
    command->add_option(name, value, help)->type_name(type)->capture_default_str();
  }

  void add_config() {
    CLI::App* group = app_.add_subcommand("config", "configurations of the scheduler");
    group->require_subcommand(1);
    CLI::App* check = group->add_subcommand(
        "check", "what a KubeSchedulerConfiguration means, and what is wrong with it");
    check->add_option("-f,--file", config_file_, "YAML or JSON; - is standard input")
        ->required()
        ->type_name("FILE");
    check->footer("Ends with 0 when the file is good and with 1 when it is not.");
    check->callback([this] {
      command_ = [this] {
        return check_config(config_file_, streams_.in, streams_.out, streams_.err);
      };
    });
    CLI::App* defaults = group->add_subcommand("default", "print the default configuration");
    defaults->callback(
        [this] { command_ = [this] { return print_default_config(streams_.out); }; });
  }

  void add_crds() {
    CLI::App* command = app_.add_subcommand(
        "crds", "print the definitions a cluster needs: berth crds | kubectl apply -f -");
    command->callback([this] { command_ = [this] { return print_crds(streams_.out); }; });
  }

  void add_demo() {
    CLI::App* command = app_.add_subcommand(
        "demo", "a cluster in this process: nodes, pods that arrive, and the binder at work");
    constexpr std::size_t kNodesMax = 10'000;
    constexpr std::size_t kPodsMax = 1'000'000;
    command->add_option("--nodes", demo_.nodes, "how many nodes")
        ->check(CLI::Range(std::size_t{1}, kNodesMax))
        ->type_name("N")
        ->capture_default_str();
    command->add_option("--pods", demo_.pods, "how many pods")
        ->check(CLI::Range(std::size_t{1}, kPodsMax))
        ->type_name("N")
        ->capture_default_str();
    command->add_option("--rate", demo_.rate, "pods that arrive in a second; 0: all at once")
        ->check(CLI::Range(std::size_t{0}, kPodsMax))
        ->type_name("N")
        ->capture_default_str();
    command->add_flag("--plain", demo_.is_plain, "one line a second, also on a terminal");
    command->callback([this] { command_ = [this] { return demo(demo_, streams_.out); }; });
  }

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
    add_server(command, ping_.kubeconfig, ping_.context);
    command->callback(
        [this] { command_ = [this] { return ping(ping_, streams_.out, streams_.err); }; });
  }

  void add_volumes() {
    CLI::App* group = app_.add_subcommand("volumes", "questions about the volumes of pods");
    group->require_subcommand(1);
    CLI::App* command = group->add_subcommand(
        "plan", "which nodes could take a pod's volumes, and why the others cannot");
    command
        ->add_option(
            "-f,--file", plan_.pod_file, "the pod: YAML, JSON or protobuf; - is standard input")
        ->type_name("FILE");
    command->add_option("pod", plan_.pod, "or the name of a pod that exists")
        ->type_name("NAMESPACE/NAME");
    command
        ->add_option("--objects",
                     plan_.objects,
                     "a file or folder of objects that stands for a cluster; may stand several "
                     "times; then no server is asked")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("PATH");
    add_server(command, plan_.kubeconfig, plan_.context);
    command->add_option("-o,--output", plan_.output, "table, json or yaml")
        ->check(CLI::IsMember({"table", "json", "yaml"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    command->add_flag("--all", plan_.is_all, "show every node, however many there are");
    command->footer(
        "Only volumes are looked at: not resources, taints or the pod's own affinity.\n"
        "Ends with 0 when some node fits, 2 when none does, 1 on an error.");
    command->callback([this] {
      command_ = [this] { return plan_volumes(plan_, streams_.in, streams_.out, streams_.err); };
    });
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
  BinderArguments binder_;
  std::string config_file_;
  DemoArguments demo_;
  ReadOptions read_;
  SimulateArguments simulate_;
  PingArguments ping_;
  VolumesPlanArguments plan_;
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
