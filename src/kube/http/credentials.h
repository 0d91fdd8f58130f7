// Who we are towards a server.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/secret.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube::http {

// What is shown with a request.
struct Credential {
  std::optional<Secret> token;  // none where a certificate says it, or nobody asks
  std::uint64_t number = 0;     // another one each time something else is shown
};

class Credentials {
 public:
  Credentials() = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;
  virtual ~Credentials() = default;

  // Asked before each request.
  virtual rt::Task<Result<Credential>> current(rt::Until until) = 0;

  // The server did not know who showed the credential of that number. True when another one may do
  // better: it is there already, or is read anew with the next current(). Many requests that were
  // refused together lead to one reading.
  virtual bool renew(std::uint64_t number) = 0;
};

}  // namespace berth::kube::http
