// Credentials from a program that is run when they are needed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/result.h"
#include "kube/config/credentials.h"
#include "kube/config/exec_credential.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"
#include "kube/http/credentials.h"
#include "net/tls.h"
#include "rt/programs.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube::config {

// The program runs one at a time, for all who wait; that one of them goes does not end it. It runs
// again shortly before what it gave expires, while everybody still uses that, and when the server
// does not know us; but not sooner than kRunsApart after its last end: a plugin that fails, or a
// server that refuses whatever it is shown, must not become a storm of processes.
class ExecCredentials final : public ServerCredentials {
 public:
  static constexpr rt::Duration kRunsApart = std::chrono::seconds(5);
  // Before the end: so long, or a fifth of the credential's life if that is less.
  static constexpr auto kEarly = std::chrono::seconds(30);

  ExecCredentials(ServerConfig config,
                  rt::Runtime& runtime,
                  rt::Programs& programs,
                  const Surroundings& surroundings);

  rt::Task<Result<http::Credential>> current(rt::Until until) override;
  bool renew(std::uint64_t number) override;
  // The user's own where it has one, otherwise the program's.
  Result<std::unique_ptr<net::Identity>> identity() override;

 private:
  bool is_due(rt::WallTime wall_now) const;                   // to run again
  bool is_usable(rt::Time now, rt::WallTime wall_now) const;  // what it gave last
  rt::Task<void> run();
  Result<rt::Program> program() const;
  void take(ExecCredential credential);
  Error in_plugin(Error error) const;

  const ServerConfig config_;
  rt::Runtime& runtime_;
  rt::Programs& programs_;
  const Surroundings& surroundings_;

  std::optional<ExecCredential> credential_;
  std::uint64_t number_ = 0;
  bool is_refused_ = false;  // by the server
  rt::WallTime expires_{};
  rt::WallTime refresh_at_{};

  bool is_running_ = false;
  std::optional<Error> failure_;  // of the last run
  rt::Time not_before_{};         // when it may run again
  rt::WaitQueue ended_;
  rt::Scope scope_;
};

}  // namespace berth::kube::config
