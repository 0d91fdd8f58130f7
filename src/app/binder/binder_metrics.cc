#include "app/binder/binder_metrics.h"

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/metrics.h"
#include "binder/outcome.h"
#include "binder/service.h"
#include "rt/time.h"

namespace berth::app {
namespace {

// Every ErrorCode has a series.
constexpr std::size_t kCodesMax = 16;

// From half a millisecond to four minutes, each twice the one before.
std::vector<double> duration_bounds() {
  std::vector<double> bounds;
  for (double bound = 0.0005; bound < 300; bound *= 2) {
    bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace

BinderMetrics::BinderMetrics()
    : outcomes_(registry_.counter_family("kai_binder_bind_requests_total",
                                         "BindRequests whose status was written, by result.",
                                         {.names = {"result"}, .series_max = 2})),
      bound_(outcomes_.series({"bound"})),
      failed_(outcomes_.series({"failed"})),
      troubles_(registry_.counter_family(
          "kai_binder_attempts_retried_total",
          "Attempts that ended without an outcome and are made again, by what went wrong.",
          {.names = {"code"}, .series_max = kCodesMax})),
      took_(registry_.histogram("kai_binder_bind_request_seconds",
                                "From the first attempt at a BindRequest to its status.",
                                duration_bounds())),
      open_(registry_.gauge("kai_binder_bind_requests_open",
                            "BindRequests in line, waiting or worked on.")),
      in_work_(registry_.gauge("kai_binder_attempts_in_work", "Attempts under way.")),
      leads_(registry_
                 .gauge_family("leader_election_master_status",
                               "1 while this process leads.",
                               {.names = {"name"}, .series_max = 1})
                 .series({kBinderLease})) {}

void BinderMetrics::said(const binder::Outcome& outcome, rt::Duration took) {
  (outcome.is_bound ? bound_ : failed_).add();
  took_.observe(std::chrono::duration<double>(took).count());
}

void BinderMetrics::trouble(const Error& trouble) {
  troubles_.series({name_of(trouble.code())}).add();
}

std::string BinderMetrics::render(const binder::Service& service) {
  open_.set(static_cast<double>(service.binder().open()));
  in_work_.set(static_cast<double>(service.binder().in_work()));
  leads_.set(service.is_leader() ? 1 : 0);
  return registry_.render();
}

}  // namespace berth::app
