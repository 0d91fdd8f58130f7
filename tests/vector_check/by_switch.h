// Which switch makes which row differ from upstream.
//
// A row belongs to a switch if it differs while all switches are on and agrees when that one alone
// is off. Where no single one helps, the fewest that do together are looked for; where several do,
// each by itself, the row needs all of them to differ.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "volumes/switches.h"

namespace berth::vector_check {

class SwitchReport {
 public:
  // Whether the row agrees with its record under these switches.
  using Agrees = std::function<bool(const volumes::Switches& switches)>;

  // Asks once for each switch, and more often about rows that differ because of several. Whether
  // what the switches do explains the row: it agrees while all are off, and turning one off never
  // makes it differ where it agreed.
  bool add(const std::string& id, const Agrees& agrees);

  void print(std::ostream& out) const;

 private:
  using Ids = std::vector<std::string>;
  using Numbers = std::vector<std::size_t>;  // of switches
  using Groups = std::map<Numbers, Ids>;

  std::array<Ids, volumes::kSwitches.size()> by_one_;
  Groups by_several_;         // by the switches to turn off together
  Groups by_any_of_;          // by the switches each of which helps
  Groups made_worse_;         // by the switch not to be turned off
  Ids unexplained_;           // differ while all are off
  std::size_t agreeing_ = 0;  // with all on
};

}  // namespace berth::vector_check
