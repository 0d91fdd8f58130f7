#include <iostream>
#include <string>
#include <vector>

#include "run.h"

int main(int argc, char** argv) {
  return berth::vector_check::run(
      std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
