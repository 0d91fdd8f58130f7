#include "app/volumes_plan/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
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
    std::string printable = api::printable(text);
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
  void add_rest(std::size_t count) {
    if (count > shown(count)) {
      add("", fmt::format("... and {} more; --all shows them", count - shown(count)));
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
  table.add_rest(report.fits.size());
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

void add_misfit(const PlanReport::Misfit& misfit, Table& table) {
  const std::size_t refusals = volumes::distance_of(misfit.findings).refusals;
  table.add(
      api::printable(misfit.node),
      fmt::format(": {} of {} not met", refusals, count_text(misfit.findings.size(), "claim")));
  std::size_t width = 0;
  for (const Finding& finding : misfit.findings) {
    width = std::max(width, claim_name(finding).size());
  }
  for (const Finding& finding : misfit.findings) {
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
  for (std::size_t i = 0; i < table.shown(report.misfits.size()); ++i) {
    add_misfit(report.misfits[i], table);
  }
  table.add_rest(report.misfits.size());
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
