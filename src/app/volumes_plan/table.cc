#include "app/volumes_plan/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/quoted.h"
#include "app/volumes_plan/report.h"
#include "volumes/explain.h"
#include "volumes/explain_text.h"
#include "volumes/finding.h"

namespace berth::app {
namespace {

using volumes::count_text;
using volumes::Finding;

constexpr std::size_t kWidth = 100;
// However long names are, text is no narrower than this.
constexpr std::size_t kTextMin = 40;
// Of each list: nodes that fit, names of nodes that are alike, and what is said of the others.
constexpr std::size_t kNodesShown = 20;

// The claim without its namespace, which is the pod's.
std::string claim_name(const Finding& finding) {
  return api::printable(finding.claim.substr(finding.claim.find('/') + 1));
}

class Table {
 public:
  explicit Table(bool is_all) : is_all_(is_all) {}

  // `head`, and behind it `text` in lines that begin below its first.
  void add(std::string_view head, std::string_view text) {
    const std::size_t width = std::max(kWidth - std::min(head.size(), kWidth), kTextMin);
    const std::string printable = api::printable(text);
    std::string_view rest = printable;
    std::string line(head);
    while (true) {
      std::size_t end = rest.size();
      if (end > width) {
        const std::size_t space = rest.rfind(' ', width);
        end = space == std::string_view::npos || space == 0 ? rest.find(' ') : space;
        end = std::min(end, rest.size());
      }
      line += rest.substr(0, end);
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + "\n";
      if (end == rest.size()) {
        return;
      }
      rest.remove_prefix(end + 1);
      line.assign(head.size(), ' ');
    }
  }
  void add_empty() { text_ += "\n"; }

  std::size_t shown(std::size_t count) const {
    return is_all_ ? count : std::min(count, kNodesShown);
  }
  // So many were left out.
  void add_rest(std::size_t count) {
    if (count > 0) {
      add("", fmt::format("... and {} more; --all shows them", count));
    }
  }
  std::string take() { return std::move(text_); }

 private:
  const bool is_all_;
  std::string text_;
};

std::string summary_of(const PlanReport& report) {
  const std::string claims =
      report.claim_count == 0 ? "no claims" : count_text(report.claim_count, "claim");
  if (report.node_count == 0) {
    return fmt::format("pod {}: {}, and there are no nodes", report.pod, claims);
  }
  return fmt::format("pod {}: {}, fits {} of {}{}",
                     report.pod,
                     claims,
                     report.fits.size(),
                     count_text(report.node_count, "node"),
                     report.claim_count == 0 ? "; its volumes do not restrict it" : "");
}

void add_notes(const PlanReport& report, Table& table) {
  for (const Finding& note : report.notes) {
    table.add("note: ", note.sentence());
  }
}

void add_obstacles(const PlanReport& report, Table& table) {
  if (report.obstacles.empty()) {
    return;
  }
  table.add_empty();
  table.add("", "What stands in the way on every node:");
  std::size_t width = 0;
  for (const Finding& finding : report.obstacles) {
    width = std::max(width, claim_name(finding).size());
  }
  for (const Finding& finding : report.obstacles) {
    table.add(fmt::format("  {:<{}}  ", claim_name(finding), width), finding.text);
  }
}

void add_fits(const PlanReport& report, Table& table) {
  if (report.fits.empty() || report.claim_count == 0) {
    return;
  }
  const std::size_t shown = table.shown(report.fits.size());
  std::size_t node_width = std::string_view("NODE").size();
  std::size_t claim_width = std::string_view("CLAIM").size();
  for (std::size_t i = 0; i < shown; ++i) {
    node_width = std::max(node_width, api::printable(report.fits[i].node).size());
    for (const Finding& finding : report.fits[i].findings) {
      claim_width = std::max(claim_width, claim_name(finding).size());
    }
  }
  constexpr std::string_view kRow = "{:<{}}  {:>5}  {:<{}}  ";
  table.add_empty();
  table.add(fmt::format(kRow, "NODE", node_width, "SCORE", "CLAIM", claim_width), "DECISION");
  for (std::size_t i = 0; i < shown; ++i) {
    std::string node = api::printable(report.fits[i].node);
    std::string score = std::to_string(report.fits[i].score);
    for (const Finding& finding : report.fits[i].findings) {
      table.add(fmt::format(kRow, node, node_width, score, claim_name(finding), claim_width),
                finding.text);
      node.clear();
      score.clear();
    }
  }
  table.add_rest(report.fits.size() - shown);
}

void add_tallies(const PlanReport& report, Table& table) {
  if (report.tallies.empty()) {
    return;
  }
  table.add_empty();
  table.add("",
            fmt::format("{} cannot take it; each is counted once, with all its reasons:",
                        count_text(report.misfits.size(), "node")));
  const std::size_t width = std::to_string(report.tallies.front().nodes).size();
  for (const PlanReport::Tally& tally : report.tallies) {
    table.add(fmt::format("  {:>{}}  ", tally.nodes, width),
              fmt::format("{}", fmt::join(tally.reasons, "; ")));
  }
}

// Nodes of which the same is to be said.
struct Alike {
  std::vector<std::string> nodes;
  const std::vector<Finding>* findings = nullptr;
};

// In the order of their first.
std::vector<Alike> group(const std::vector<PlanReport::Misfit>& misfits) {
  std::vector<Alike> groups;
  std::map<std::vector<std::string>, std::size_t> places;  // by what is said
  for (const PlanReport::Misfit& misfit : misfits) {
    std::vector<std::string> said;
    for (const Finding& finding : misfit.findings) {
      said.push_back(finding.sentence());
    }
    const auto [place, is_new] = places.emplace(std::move(said), groups.size());
    if (is_new) {
      groups.push_back({.nodes = {}, .findings = &misfit.findings});
    }
    groups[place->second].nodes.push_back(misfit.node);
  }
  return groups;
}

void add_group(const Alike& alike, Table& table) {
  const std::vector<Finding>& findings = *alike.findings;
  const std::size_t shown = table.shown(alike.nodes.size());
  std::string nodes = fmt::format(
      "{}",
      fmt::join(
          alike.nodes.begin(), alike.nodes.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < alike.nodes.size()) {
    nodes += fmt::format(" and {} more", alike.nodes.size() - shown);
  }
  table.add("",
            fmt::format("{}: {} of {} not met",
                        nodes,
                        volumes::distance_of(findings).refusals,
                        count_text(findings.size(), "claim")));
  std::size_t width = 0;
  for (const Finding& finding : findings) {
    width = std::max(width, claim_name(finding).size());
  }
  for (const Finding& finding : findings) {
    const bool is_met = !volumes::is_refusal(finding.kind);
    table.add(fmt::format("  {:<{}}  ", claim_name(finding), width),
              (is_met ? "ok: " : "") + finding.text);
  }
}

// Where no node can, all are alike: the obstacles have been told.
void add_misfits(const PlanReport& report, Table& table) {
  if (report.misfits.empty() || report.misfits.front().findings.empty()) {
    return;
  }
  table.add_empty();
  table.add("", "Why they cannot, the closest to fitting first:");
  const std::vector<Alike> groups = group(report.misfits);
  const std::size_t shown = table.shown(groups.size());
  std::size_t rest = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < shown) {
      add_group(groups[i], table);
    } else {
      rest += groups[i].nodes.size();
    }
  }
  table.add_rest(rest);
}

}  // namespace

std::string table_of(const PlanReport& report, bool is_all) {
  Table table(is_all);
  table.add("", summary_of(report));
  add_notes(report, table);
  add_obstacles(report, table);
  add_fits(report, table);
  add_tallies(report, table);
  add_misfits(report, table);
  return table.take();
}

}  // namespace berth::app
