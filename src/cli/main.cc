#include <iostream>

#include "base/assert.h"
#include "cli/command_line.h"

int main(int argc, char** argv) {
  berth::survive_bugs();
  return berth::cli::run(argc, argv, std::cin, std::cout, std::cerr);
}
