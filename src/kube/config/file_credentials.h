// Credentials that stand in a kubeconfig or in files that somebody else rotates.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "kube/config/credentials.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"
#include "kube/http/credentials.h"
#include "net/tls.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube::config {

// A token file is read again when a minute has passed, and when the server does not know us. One
// that cannot be read leaves the last token that could: a file that is being replaced is there
// again soon.
class FileCredentials final : public ServerCredentials {
 public:
  static constexpr rt::Duration kTokenAgeMax = std::chrono::minutes(1);

  FileCredentials(ServerConfig config, rt::Runtime& runtime, const Surroundings& surroundings);

  rt::Task<Result<http::Credential>> current(rt::Until until) override;
  bool renew(std::uint64_t number) override;
  Result<std::unique_ptr<net::Identity>> identity() override;

 private:
  Result<void> read_token();
  void look_for_another_identity();

  const ServerConfig config_;
  rt::Runtime& runtime_;
  const Surroundings& surroundings_;
  Secret token_;
  rt::Time read_again_at_{};
  std::string shown_certificate_;  // on the last connection
  std::uint64_t number_ = 1;
};

}  // namespace berth::kube::config
