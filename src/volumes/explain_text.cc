#include "volumes/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/quantity.h"
#include "api/rules/requirement.h"
#include "volumes/reach.h"

namespace berth::volumes {
namespace {

using Operator = api::Requirement::Operator;

// Enough for the zones of a region; a list of all hosts helps nobody.
constexpr std::size_t kValuesShown = 6;
constexpr std::size_t kTermsShown = 3;
constexpr std::size_t kWrittenMax = 7;

std::string list_text(const std::vector<std::string>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(values.size(), kValuesShown); ++i) {
    text += i == 0 ? "" : ", ";
    text += values[i];
  }
  if (values.size() > kValuesShown) {
    text += fmt::format(", ... {} more", values.size() - kValuesShown);
  }
  return text + "]";
}

std::string wanted_text(const api::Requirement& requirement) {
  switch (requirement.op) {
    case Operator::kIn:
      return fmt::format("{} in {}", requirement.key, list_text(requirement.values));
    case Operator::kNotIn:
      return fmt::format("{} not in {}", requirement.key, list_text(requirement.values));
    case Operator::kExists:
      return fmt::format("the label {}", requirement.key);
    case Operator::kDoesNotExist:
      return fmt::format("no label {}", requirement.key);
    case Operator::kGt:
      return fmt::format("{} above {}", requirement.key, requirement.bound);
    case Operator::kLt:
      return fmt::format("{} below {}", requirement.key, requirement.bound);
  }
  return requirement.key;
}

// What is asked for, and what the node has instead.
std::string unmet_text(const api::Requirement& requirement, const api::StringMap& labels) {
  const auto found = labels.find(requirement.key);
  return fmt::format(
      "{} (here: {})", wanted_text(requirement), found == labels.end() ? "not set" : found->second);
}

std::vector<const api::Requirement*> unmet(const Reach::Term& term, const api::StringMap& labels) {
  std::vector<const api::Requirement*> requirements;
  for (const api::Requirement& requirement : term) {
    if (!requirement.matches(labels)) {
      requirements.push_back(&requirement);
    }
  }
  return requirements;
}

void append(std::string& list, std::string_view separator, const std::string& item) {
  if (!list.empty()) {
    list += separator;
  }
  list += item;
}

}  // namespace

std::string size_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr std::int64_t kStep = 1024;
  std::int64_t unit = 1;
  std::size_t suffix = 0;
  while (suffix + 1 < kSuffixes.size() && bytes / unit >= kStep) {
    unit *= kStep;
    ++suffix;
  }
  if (bytes % unit == 0) {
    return fmt::format("{}{}", bytes / unit, kSuffixes[suffix]);
  }
  return fmt::format(
      "{:.1f}{}", static_cast<double>(bytes) / static_cast<double>(unit), kSuffixes[suffix]);
}

std::string size_text(const api::Quantity& quantity) {
  std::string written = quantity.to_string();
  if (written.size() > kWrittenMax) {
    written = size_text(quantity.value());
  }
  return written;
}

std::string count_text(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string mismatch_text(const Reach& reach, const api::StringMap& labels) {
  if (reach.terms().empty()) {
    return "what no node has (" + reach.mismatch_text() + ")";
  }
  using Unmet = std::vector<const api::Requirement*>;
  std::vector<Unmet> terms;
  for (const Reach::Term& term : reach.terms()) {
    Unmet requirements = unmet(term, labels);
    const auto place = std::ranges::upper_bound(terms, requirements.size(), {}, &Unmet::size);
    terms.insert(place, std::move(requirements));
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(terms.size(), kTermsShown); ++i) {
    std::string term;
    for (const api::Requirement* requirement : terms[i]) {
      append(term, " and ", unmet_text(*requirement, labels));
    }
    append(text, ", or ", term);
  }
  if (terms.size() > kTermsShown) {
    text += fmt::format(", or one of {} other ways", terms.size() - kTermsShown);
  }
  return text;
}

}  // namespace berth::volumes
