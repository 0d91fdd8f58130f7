#include "actors/sim_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/objects/storage.h"
#include "api/quantity.h"
#include "base/error.h"
#include "base/result.h"
#include "rt/time.h"

namespace berth::actors {
namespace {

constexpr std::string_view kDomain = "sim.berth.dev";
constexpr std::string_view kDefaultTopologyKey = "kubernetes.io/hostname";
// Nobody simulates longer, and what is added to it stays within time.
constexpr rt::Duration kLatencyMax = std::chrono::hours(24);

constexpr std::array<std::pair<Outcome, std::string_view>, 8> kOutcomes = {{
    {Outcome::kOk, "OK"},
    {Outcome::kResourceExhausted, "ResourceExhausted"},
    {Outcome::kUnavailable, "Unavailable"},
    {Outcome::kDeadlineExceeded, "DeadlineExceeded"},
    {Outcome::kAborted, "Aborted"},
    {Outcome::kInvalidArgument, "InvalidArgument"},
    {Outcome::kFailedPrecondition, "FailedPrecondition"},
    {Outcome::kInternal, "Internal"},
}};

Error bad(std::string_view name, std::string_view value, std::string_view wanted) {
  return {ErrorCode::kInvalid, fmt::format("parameter {}: \"{}\" is not {}", name, value, wanted)};
}

Result<std::uint64_t> read_count(std::string_view name, std::string_view value) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc{} || end != value.data() + value.size()) {
    return bad(name, value, "a whole number");
  }
  return count;
}

std::optional<rt::Duration> find_unit(std::string_view unit) {
  if (unit == "ms") {
    return std::chrono::milliseconds(1);
  }
  if (unit == "s") {
    return std::chrono::seconds(1);
  }
  if (unit == "m") {
    return std::chrono::minutes(1);
  }
  return std::nullopt;
}

// "250ms", "5s" or "2m".
std::optional<rt::Duration> find_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 0) {
    return std::nullopt;
  }
  const auto unit = find_unit(text.substr(static_cast<std::size_t>(end - text.data())));
  if (!unit || count > kLatencyMax / *unit) {
    return std::nullopt;
  }
  return count * *unit;
}

Result<void> read_latency(std::string_view value, SimClass& out) {
  const std::size_t dash = value.find('-');
  const auto first = find_duration(value.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : find_duration(value.substr(dash + 1));
  if (!first || !last || *last < *first) {
    return bad("latency", value, "a duration such as 5s, or two with the shorter first, 1s-5s");
  }
  out.latency_min = *first;
  out.latency_max = *last;
  return {};
}

std::vector<std::string> read_list(std::string_view value) {
  std::vector<std::string> items;
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    if (comma > 0) {
      items.emplace_back(value.substr(0, comma));
    }
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return items;
}

Result<void> read_capacity(std::string_view value, SimClass& out) {
  const auto quantity = api::Quantity::parse(value);
  if (!quantity || quantity->sign() < 0) {
    return bad("capacity", value, "a quantity such as 100Gi");
  }
  out.capacity = quantity->value();
  return {};
}

Result<void> read_failure(std::string_view value, SimClass& out) {
  const auto outcome = find_outcome(value);
  if (!outcome || *outcome == Outcome::kOk) {
    return bad("failure", value, "a way to fail such as ResourceExhausted");
  }
  out.failure = *outcome;
  out.fails_always = true;
  return {};
}

Result<void> read_parameter(std::string_view name, std::string_view value, SimClass& out) {
  if (name == "latency") {
    return read_latency(value, out);
  }
  if (name == "capacity") {
    return read_capacity(value, out);
  }
  if (name == "failure") {
    return read_failure(value, out);
  }
  if (name == "topologyKey") {
    out.topology_key = value;
    return {};
  }
  if (name == "failNodes") {
    out.fail_nodes = read_list(value);
    return {};
  }
  if (name == "failTimes") {
    BERTH_TRY(out.fail_times, read_count(name, value));
    return {};
  }
  if (name == "failOneIn") {
    BERTH_TRY(out.fail_one_in, read_count(name, value));
    return {};
  }
  return Error(ErrorCode::kInvalid, fmt::format("parameter {}: is not known", name));
}

}  // namespace

bool is_simulated(std::string_view provisioner) {
  const std::string_view domain = provisioner.substr(0, provisioner.find('/'));
  return domain == kDomain || (domain.size() == provisioner.size() && domain.ends_with(kDomain) &&
                               domain[domain.size() - kDomain.size() - 1] == '.');
}

std::string driver_of(std::string_view provisioner) {
  return std::string(provisioner.substr(0, provisioner.find('/')));
}

std::string_view name_of(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)].second;
}

std::optional<Outcome> find_outcome(std::string_view name) {
  const auto* const found =
      std::ranges::find(kOutcomes, name, &std::pair<Outcome, std::string_view>::second);
  return found == kOutcomes.end() ? std::nullopt : std::optional(found->first);
}

Result<SimClass> read_sim_class(const api::StorageClass& storage_class) {
  SimClass out{.topology_key = std::string(kDefaultTopologyKey)};
  for (const auto& [name, value] : storage_class.parameters) {
    auto read = read_parameter(name, value, out);
    if (!read) {
      return std::move(read).error();
    }
  }
  if (out.fail_times > 0 || out.fail_one_in > 0) {
    out.fails_always = false;
  }
  return out;
}

bool is_to_fail(const SimClass& of,
                std::string_view node,
                std::uint64_t tries,
                std::uint64_t chance) {
  if (!of.fail_nodes.empty() && std::ranges::find(of.fail_nodes, node) == of.fail_nodes.end()) {
    return false;
  }
  return of.fails_always || tries < of.fail_times || (of.fail_one_in > 0 && chance == 0);
}

Next next_after(Outcome outcome, bool has_topology, bool is_selected) {
  switch (outcome) {
    case Outcome::kOk:
      return Next::kDone;
    case Outcome::kResourceExhausted:
      return has_topology && is_selected ? Next::kReschedule : Next::kRetry;
    case Outcome::kInvalidArgument:
      return Next::kRetryLate;
    case Outcome::kUnavailable:
    case Outcome::kDeadlineExceeded:
    case Outcome::kAborted:
    case Outcome::kFailedPrecondition:
    case Outcome::kInternal:
      return Next::kRetry;
  }
  return Next::kRetry;
}

}  // namespace berth::actors
