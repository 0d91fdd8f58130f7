#include "kube/config/exec_credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/rules/quoted.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/credentials.h"
#include "kube/config/exec_credential.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"
#include "kube/http/credentials.h"
#include "net/tls.h"
#include "net/wake_error.h"
#include "rt/programs.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube::config {

ExecCredentials::ExecCredentials(ServerConfig config,
                                 rt::Runtime& runtime,
                                 rt::Programs& programs,
                                 const Surroundings& surroundings)
    : config_(std::move(config)),
      runtime_(runtime),
      programs_(programs),
      surroundings_(surroundings),
      ended_(runtime, "the exec plugin"),
      scope_(runtime, "exec plugin") {}

rt::Task<Result<http::Credential>> ExecCredentials::current(rt::Until until) {
  while (true) {
    // Once for all that is decided here: between two readings time passes.
    const rt::Time now = runtime_.now();
    const rt::WallTime wall_now = runtime_.wall_now();
    if (is_due(wall_now) && !is_running_ && now >= not_before_) {
      is_running_ = true;
      scope_.spawn("exec plugin", run());
    }
    if (is_usable(now, wall_now)) {
      co_return http::Credential{.token = credential_->token, .number = number_};
    }
    if (!is_running_) {
      BERTH_ASSERT(failure_, "it ran just now, and gave nothing that can be used");
      co_return *failure_;
    }
    const rt::Wake wake = co_await ended_.wait(until);
    if (wake != rt::Wake::kNotified) {
      co_return net::error_of(wake).in("waiting for the exec plugin");
    }
  }
}

bool ExecCredentials::renew(std::uint64_t number) {
  if (number != number_) {
    return true;
  }
  if (is_running_) {
    is_refused_ = true;  // what is being made replaces it
    return true;
  }
  if (runtime_.now() < not_before_) {
    return false;
  }
  is_refused_ = true;
  return true;
}

Result<std::unique_ptr<net::Identity>> ExecCredentials::identity() {
  auto own = read_identity(config_, surroundings_);
  if (!own || *own != nullptr || !credential_ || !credential_->identity) {
    return own;
  }
  return std::make_unique<net::Identity>(*credential_->identity);
}

bool ExecCredentials::is_due(rt::WallTime wall_now) const {
  return !credential_ || is_refused_ || wall_now >= refresh_at_;
}

bool ExecCredentials::is_usable(rt::Time now, rt::WallTime wall_now) const {
  if (!credential_ || is_refused_) {
    return false;
  }
  // One that came expired is shown for as long as no other can be had: the clocks may differ.
  return wall_now < expires_ || (!failure_ && now < not_before_);
}

rt::Task<void> ExecCredentials::run() {
  auto credential = Result<ExecCredential>(Error(ErrorCode::kInternal, ""));
  auto made = program();
  if (made) {
    const auto end = co_await programs_.run(*std::move(made), {.token = scope_.token()});
    credential = take_exec_credential(end, *config_.exec);
  } else {
    credential = std::move(made).error();
  }
  is_running_ = false;
  not_before_ = rt::after(runtime_.now(), kRunsApart);
  if (credential) {
    failure_.reset();
    take(*std::move(credential));
  } else {
    failure_ = in_plugin(std::move(credential).error());
  }
  ended_.notify_all();
}

Result<rt::Program> ExecCredentials::program() const {
  std::string authority;
  if (config_.exec->wants_cluster_info) {
    auto text = read_material(config_.authority, "certificate-authority", surroundings_);
    if (!text) {
      return std::move(text).error();
    }
    authority = *std::move(text);
  }
  return exec_program(*config_.exec, config_, authority);
}

void ExecCredentials::take(ExecCredential credential) {
  const bool had_identity = credential_ && credential_->identity;
  const bool has_other_identity =
      had_identity && (!credential.identity || credential.identity->certificate_pem !=
                                                   credential_->identity->certificate_pem);
  credential_ = std::move(credential);
  ++number_;
  is_refused_ = false;
  expires_ = credential_->expires.value_or(rt::WallTime::max());
  refresh_at_ = expires_;
  if (credential_->expires) {
    const auto life = std::max(expires_ - runtime_.wall_now(), rt::WallTime::duration::zero());
    refresh_at_ -= std::min<rt::WallTime::duration>(kEarly, life / 5);
  }
  if (has_other_identity) {
    tell_new_identity();
  }
}

Error ExecCredentials::in_plugin(Error error) const {
  return std::move(error).in(
      fmt::format("exec plugin '{}' of {}", api::shown(config_.exec->command), config_.user));
}

}  // namespace berth::kube::config
