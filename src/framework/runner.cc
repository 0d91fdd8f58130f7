// How a runner is made, and what holds for every answer of every plugin. The points are run in
// run_filter.cc, run_score.cc, run_reserve.cc and run_bind.cc.
#include "framework/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cycle_state.h"
#include "framework/fields.h"
#include "framework/plugin.h"
#include "framework/plugin_calls.h"
#include "framework/points.h"
#include "framework/profile.h"
#include "framework/registry.h"
#include "framework/status.h"
#include "framework/waiting_pods.h"

namespace berth::framework {
namespace {

constexpr std::array kRejections{Code::kUnschedulable, Code::kUnresolvable, Code::kPending};

bool is_one_of(Code code, std::initializer_list<Code> codes) {
  return std::ranges::find(codes, code) != codes.end();
}

// Which answers mean something where; an error does everywhere.
bool is_allowed(Point point, Code code) {
  const bool is_rejection = std::ranges::find(kRejections, code) != kRejections.end();
  switch (point) {
    case Point::kPreFilter:
      return is_one_of(code,
                       {Code::kSuccess, Code::kSkip, Code::kUnschedulable, Code::kUnresolvable});
    case Point::kExplain:
      return is_rejection;
    case Point::kPostFilter:
      return is_one_of(code, {Code::kSuccess, Code::kUnschedulable, Code::kUnresolvable});
    case Point::kPreScore:
    case Point::kPreflight:
    case Point::kBind:
      return is_one_of(code, {Code::kSuccess, Code::kSkip});
    case Point::kPermit:
      return is_rejection || is_one_of(code, {Code::kSuccess, Code::kWait});
    case Point::kValidate:
    case Point::kReserve:
    case Point::kPreBind:
      return is_rejection || code == Code::kSuccess;
    default:
      return code == Code::kSuccess;
  }
}

// Known to the configuration, and no plugin's code is run there.
bool is_run(Point point) {
  return point != Point::kPreEnqueue && point != Point::kQueueSort;
}

// In the order of the registry.
std::vector<std::string> plugins_to_make(const Profile& profile, const Registry& registry) {
  std::vector<std::string> names;
  for (const PluginEntry& entry : registry.entries()) {
    const bool is_asked = std::ranges::any_of(kConfiguredPoints, [&](Point point) {
      const auto& asked = profile.asked_at(point);
      return is_run(point) &&
             std::ranges::find(asked, entry.name, &AskedPlugin::name) != asked.end();
    });
    if (is_asked) {
      names.push_back(entry.name);
    }
  }
  return names;
}

Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

Result<std::unique_ptr<Plugin>> call_maker(const PluginEntry& entry,
                                           Fields* arguments,
                                           PluginSetup& setup) {
  try {
    return entry.make(arguments, setup);
  } catch (const std::exception& thrown) {
    return invalid(fmt::format("it threw: {}", thrown.what()));
  } catch (...) {
    return invalid("it threw what is no exception");
  }
}

Result<std::unique_ptr<Plugin>> make_plugin(const PluginEntry& entry,
                                            const Profile& profile,
                                            PluginSetup& setup) {
  if (!entry.make) {
    return invalid("this program cannot make it");
  }
  Problems problems;
  std::optional<Fields> arguments;
  const auto given = profile.arguments.find(entry.name);
  if (given != profile.arguments.end()) {
    arguments.emplace(given->second, fmt::format("arguments of {}", entry.name), problems);
  }
  auto made = call_maker(entry, arguments ? &*arguments : nullptr, setup);
  if (arguments) {
    arguments->finish();
  }
  if (!problems.empty()) {
    const Problem first = problems.sorted().front();
    return invalid(fmt::format("line {}: {}", first.line, first.text));
  }
  if (made && *made == nullptr) {
    return invalid("nothing was made");
  }
  return made;
}

}  // namespace

Runner::Runner(std::string scheduler_name,
               std::vector<std::string> names,
               RunnerServices services,
               WaitingPods& waiting)
    : scheduler_name_(std::move(scheduler_name)),
      waiting_(waiting),
      calls_(services, scheduler_name_, std::move(names)) {}

Runner::~Runner() = default;

Result<std::unique_ptr<Runner>> Runner::make(const Profile& profile,
                                             const Registry& registry,
                                             RunnerServices services,
                                             WaitingPods& waiting) {
  std::vector<std::string> names = plugins_to_make(profile, registry);
  if (names.size() > kPluginsMax) {
    return Error(ErrorCode::kLimit,
                 fmt::format("{} plugins, more than {}", names.size(), kPluginsMax));
  }
  std::unique_ptr<Runner> runner(
      new Runner(profile.scheduler_name, std::move(names), services, waiting));
  if (auto made = runner->make_plugins(profile, registry); !made) {
    return std::move(made).error().in(fmt::format("profile \"{}\"", profile.scheduler_name));
  }
  return runner;
}

Result<void> Runner::make_plugins(const Profile& profile, const Registry& registry) {
  PluginSetup setup{.layout = layout_};
  for (std::size_t i = 0; i < calls_.plugin_count(); ++i) {
    const PluginEntry& entry = *registry.find(calls_.name(i));
    auto made = make_plugin(entry, profile, setup);
    if (!made) {
      return std::move(made).error().in(fmt::format("making plugin \"{}\"", entry.name));
    }
    plugins_.push_back(*std::move(made));
  }
  sort_in_all(validates_);
  sort_in_all(hints_);
  for (const auto& sorted : {sort_in(profile, Point::kPreFilter, pre_filters_),
                             sort_in(profile, Point::kFilter, filters_),
                             sort_in(profile, Point::kPostFilter, post_filters_),
                             sort_in(profile, Point::kPreScore, pre_scores_),
                             sort_in(profile, Point::kScore, scores_),
                             sort_in(profile, Point::kReserve, reserves_),
                             sort_in(profile, Point::kPermit, permits_),
                             sort_in(profile, Point::kPreBind, pre_binds_),
                             sort_in(profile, Point::kBind, binds_),
                             sort_in(profile, Point::kPostBind, post_binds_),
                             check_weights()}) {
    if (!sorted) {
      return sorted;
    }
  }
  if (binds_.empty()) {
    return invalid("at least one plugin is needed at Bind");
  }
  return {};
}

template <typename PointClass>
Result<void> Runner::sort_in(const Profile& profile,
                             Point point,
                             std::vector<Asked<PointClass>>& into) {
  for (const AskedPlugin& asked : profile.asked_at(point)) {
    std::size_t number = 0;
    while (number < plugins_.size() && calls_.name(number) != asked.name) {
      ++number;
    }
    if (number == plugins_.size()) {
      return invalid(fmt::format("there is no plugin \"{}\"", asked.name));
    }
    auto* at = dynamic_cast<PointClass*>(plugins_[number].get());
    if (at == nullptr) {
      return invalid(
          fmt::format("plugin \"{}\" does not implement {}", asked.name, name_of(point)));
    }
    if (std::ranges::find(into, number, &Asked<PointClass>::plugin) != into.end()) {
      return invalid(
          fmt::format("plugin \"{}\" already registered as \"{}\"", asked.name, name_of(point)));
    }
    into.push_back({.plugin = number, .at = at, .weight = asked.weight == 0 ? 1 : asked.weight});
  }
  return {};
}

template <typename PointClass>
void Runner::sort_in_all(std::vector<Asked<PointClass>>& into) {
  for (std::size_t i = 0; i < plugins_.size(); ++i) {
    if (auto* at = dynamic_cast<PointClass*>(plugins_[i].get())) {
      into.push_back({.plugin = i, .at = at});
    }
  }
}

Result<void> Runner::check_weights() const {
  std::optional<std::int64_t> total = 0;
  for (const Asked<ScorePoint>& asked : scores_) {
    if (asked.weight < 0) {
      return invalid(
          fmt::format("the weight of plugin \"{}\" is negative", calls_.name(asked.plugin)));
    }
    const std::optional<std::int64_t> most = checked_mul(asked.weight, kScoreMax);
    total = most ? checked_add(*total, *most) : std::nullopt;
    if (!total) {
      return invalid(fmt::format("the weights of the Score plugins, up to \"{}\", are too large",
                                 calls_.name(asked.plugin)));
    }
  }
  return {};
}

Status Runner::checked(std::size_t plugin, Point point, Status answer) {
  if (answer.is_error()) {
    // An error without a cause was made of reasons.
    const Error cause = answer.cause().value_or(Error(ErrorCode::kInternal, answer.message()));
    return failure(plugin, point, cause).with_remedy(answer.remedy());
  }
  if (!is_allowed(point, answer.code())) {
    return blame(plugin,
                 point,
                 fmt::format("it answered {}, which means nothing here: {}",
                             name_of(answer.code()),
                             answer.message()));
  }
  return std::move(answer).from(calls_.name(plugin));
}

Status Runner::failure(std::size_t plugin, Point point, const Error& error) const {
  const std::string& name = calls_.name(plugin);
  // The words are upstream's, who has others for Filter.
  const bool is_filter = point == Point::kFilter || point == Point::kExplain;
  const std::string where = is_filter
                                ? fmt::format("running \"{}\" filter plugin", name)
                                : fmt::format("running {} plugin \"{}\"", name_of(point), name);
  return Status::error(Error(error).in(where)).from(name);
}

Status Runner::blame(std::size_t plugin, Point point, std::string_view what) {
  return failure(plugin, point, calls_.blame(plugin, point, what));
}

}  // namespace berth::framework
