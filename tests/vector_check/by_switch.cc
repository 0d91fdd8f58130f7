#include "by_switch.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "volumes/switches.h"

namespace berth::vector_check {

namespace {

using volumes::kSwitches;
using volumes::Switches;
using Numbers = std::vector<std::size_t>;

constexpr std::size_t kIdsALine = 10;

Switches without(std::size_t number) {
  Switches switches;
  switches.*kSwitches[number].member = false;
  return switches;
}

std::string names_of(const Numbers& numbers) {
  std::string names;
  for (const std::size_t number : numbers) {
    names.append(names.empty() ? "" : ", ").append(kSwitches[number].name);
  }
  return names;
}

// Switches without which the row agrees, none of which can be left out. It agrees while all are
// off.
Numbers find_several(const SwitchReport::Agrees& agrees) {
  Switches switches = Switches::upstream();
  Numbers off;
  for (std::size_t number = 0; number < kSwitches.size(); ++number) {
    off.push_back(number);
  }
  // Again until nothing changes: one switch may stay on only because of another.
  while (true) {
    const std::size_t before = off.size();
    std::erase_if(off, [&switches, &agrees](std::size_t number) {
      switches.*kSwitches[number].member = true;
      const bool may_be_on = agrees(switches);
      switches.*kSwitches[number].member = may_be_on;
      return may_be_on;
    });
    if (off.size() == before) {
      return off;
    }
  }
}

void print_rows(std::ostream& out, std::string_view title, const std::vector<std::string>& ids) {
  out << title << ": " << ids.size() << (ids.size() == 1 ? " row" : " rows") << '\n';
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_last = i % kIdsALine == kIdsALine - 1 || i + 1 == ids.size();
    out << (i % kIdsALine == 0 ? "  " : "") << ids[i] << (is_last ? '\n' : ' ');
  }
}

void print_groups(std::ostream& out,
                  std::string_view title,
                  const std::map<Numbers, std::vector<std::string>>& groups) {
  for (const auto& [numbers, ids] : groups) {
    print_rows(out, std::string(title) + " " + names_of(numbers), ids);
  }
}

std::size_t rows_with(std::size_t number,
                      const std::map<Numbers, std::vector<std::string>>& groups) {
  std::size_t rows = 0;
  for (const auto& [numbers, ids] : groups) {
    rows += std::ranges::count(numbers, number) > 0 ? ids.size() : 0;
  }
  return rows;
}

}  // namespace

bool SwitchReport::add(const std::string& id, const Agrees& agrees) {
  const bool is_agreeing = agrees(Switches());
  Numbers helping;
  for (std::size_t number = 0; number < kSwitches.size(); ++number) {
    if (agrees(without(number))) {
      helping.push_back(number);
    }
  }
  if (is_agreeing) {
    ++agreeing_;
    for (std::size_t number = 0; number < kSwitches.size(); ++number) {
      if (!std::ranges::binary_search(helping, number)) {
        made_worse_[{number}].push_back(id);
      }
    }
    return helping.size() == kSwitches.size();
  }
  if (helping.size() == 1) {
    by_one_[helping.front()].push_back(id);
    return true;
  }
  if (!helping.empty()) {
    by_any_of_[helping].push_back(id);
    return true;
  }
  if (!agrees(Switches::upstream())) {
    unexplained_.push_back(id);
    return false;
  }
  by_several_[find_several(agrees)].push_back(id);
  return true;
}

void SwitchReport::print(std::ostream& out) const {
  for (std::size_t number = 0; number < kSwitches.size(); ++number) {
    print_rows(out, "agree again without " + std::string(kSwitches[number].name), by_one_[number]);
  }
  print_groups(out, "agree again without any one of", by_any_of_);
  print_groups(out, "agree again only without all of", by_several_);
  print_groups(out, "differ only without", made_worse_);
  if (!unexplained_.empty()) {
    print_rows(out, "differ without any switch", unexplained_);
  }
  out << "with all switches on: " << agreeing_ << " rows agree\n";
  for (std::size_t number = 0; number < kSwitches.size(); ++number) {
    out << "switch " << kSwitches[number].name << ": " << by_one_[number].size() << " alone, "
        << rows_with(number, by_several_) + rows_with(number, by_any_of_) << " with others\n";
  }
}

}  // namespace berth::vector_check
