// The command line. One file includes CLI11; each command is a file of its own.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "cli/read.h"

namespace {

// Exit codes are a contract: 0 done, 1 error, 2 "cannot be placed".
constexpr int kError = 1;

int run(int argc, char** argv) {
  CLI::App app("Berth schedules and binds Kubernetes pods that need more than CPU.", "berth");
  app.set_version_flag("--version", "berth " BERTH_VERSION);
  app.require_subcommand(1);

  berth::cli::ReadOptions read;
  CLI::App* read_command =
      app.add_subcommand("read", "show what Berth understands of the objects in a file");
  read_command
      ->add_option("-f,--file",
                   read.files,
                   "YAML, JSON or protobuf; - is standard input; may stand several times")
      ->required()
      ->type_name("FILE");
  read_command->add_option("-o,--output", read.output, "table, or json: one object a line")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT")
      ->capture_default_str();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kError;
  }
  return berth::cli::read_files(read, std::cin, std::cout, std::cerr) ? 0 : kError;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv);
}
