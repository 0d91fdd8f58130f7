#include "cli/binder.h"

#include <fmt/format.h>

#include <chrono>
#include <ostream>
#include <string>
#include <utility>

#include "api/rules/quoted.h"
#include "app/binder/run_binder.h"
#include "base/error.h"
#include "base/log.h"
#include "base/result.h"
#include "cli/duration.h"
#include "cli/exit_code.h"

namespace berth::cli {
namespace {

using std::chrono::nanoseconds;

Result<nanoseconds> duration_of(const std::string& flag, const std::string& text) {
  auto duration = parse_duration(text);
  if (!duration) {
    return std::move(duration).error().in("--" + flag);
  }
  return duration;
}

Result<void> set_times(const BinderArguments& arguments, app::BinderProcessOptions& options) {
  BERTH_TRY(options.lease_duration,
            duration_of("leader-elect-lease-duration", arguments.lease_duration));
  BERTH_TRY(options.renew_deadline,
            duration_of("leader-elect-renew-deadline", arguments.renew_deadline));
  BERTH_TRY(options.retry_period, duration_of("leader-elect-retry-period", arguments.retry_period));
  BERTH_TRY(options.drain_max, duration_of("shutdown-grace-period", arguments.drain_max));
  if (options.retry_period <= nanoseconds{} || options.renew_deadline <= options.retry_period ||
      options.lease_duration <= options.renew_deadline) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("a lease of {} with a renew deadline of {} and a retry period of {}: "
                             "each must be longer than the next",
                             arguments.lease_duration,
                             arguments.renew_deadline,
                             arguments.retry_period));
  }
  if (options.lease_duration < std::chrono::seconds(1)) {
    return Error(ErrorCode::kInvalid, "a lease is at least 1s: servers count whole seconds");
  }
  const auto seconds = [](double count) {
    return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(count));
  };
  if (arguments.backoff_min > 0) {
    options.backoff_min = seconds(arguments.backoff_min);
  }
  if (arguments.backoff_max > 0) {
    options.backoff_max = seconds(arguments.backoff_max);
  }
  constexpr double kMaxUnlessSaid = 10;
  if (arguments.backoff_min >
      (arguments.backoff_max > 0 ? arguments.backoff_max : kMaxUnlessSaid)) {
    return Error(ErrorCode::kInvalid,
                 "--rate-limiter-base-delay is longer than --rate-limiter-max-delay");
  }
  return {};
}

LogLevel level_of(const std::string& name) {
  return name == "debug"   ? LogLevel::kDebug
         : name == "warn"  ? LogLevel::kWarn
         : name == "error" ? LogLevel::kError
                           : LogLevel::kInfo;
}

}  // namespace

ExitCode run_binder(const BinderArguments& arguments, std::ostream& err) {
  app::BinderProcessOptions options{
      .config = {.kubeconfig = arguments.kubeconfig, .context = arguments.context},
      .elects = arguments.elects,
      .lease_namespace = arguments.lease_namespace,
      .lease_name = arguments.lease_name,
      .workers = arguments.workers,
      .metrics_address = arguments.metrics_address,
      .health_address = arguments.health_address,
      .log_format = arguments.log_format == "json" ? LogFormat::kJson : LogFormat::kText,
      .log_level = level_of(arguments.log_level)};
  for (const std::string& name : arguments.without_effect) {
    options.without_effect += (options.without_effect.empty() ? "--" : " --") + name;
  }
  auto done = set_times(arguments, options);
  if (done) {
    done = app::run_binder(options);
  }
  if (!done) {
    err << "error: " << api::printable(done.error().text()) << "\n";
    return ExitCode::kError;
  }
  return ExitCode::kDone;
}

}  // namespace berth::cli
