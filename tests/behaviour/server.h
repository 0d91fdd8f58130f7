// A server that the cases of this folder are held against. Each test program links one.
//
// A real server is shared and has objects of others, so a case stays within its own namespace, and
// takes a resourceVersion for what it is: a text that is equal or is not. Controllers may run
// beside it; pods are created without service account, so that admission must be off.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"

namespace berth::tests {

class Server {
 public:
  Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  virtual ~Server() = default;

  virtual kube::Client& client() = 0;
  virtual rt::Runtime& runtime() = 0;
  // Runs everything that waits until `is_done`; false when that takes unreasonably long.
  virtual bool run_until(const std::function<bool()>& is_done) = 0;

  // What not every server can do; cases that need it are skipped.
  virtual bool has_custom_resources() const = 0;
  // Forgets every change up to now: reading or watching from before gives kGone. False: it cannot.
  virtual bool forget_history() = 0;
};

// kNotFound when there is nothing here to start it with.
Result<std::unique_ptr<Server>> start_server();

}  // namespace berth::tests
