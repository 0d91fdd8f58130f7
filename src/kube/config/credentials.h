// Who we are, from what a kubeconfig says: tokens and certificates in it, in files that rotate, or
// from a program.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "kube/config/surroundings.h"
#include "kube/http/credentials.h"
#include "net/tls.h"
#include "rt/programs.h"
#include "rt/runtime.h"

namespace berth::kube::config {

// Errors are kUnauthorized with the reason failure::kNoCredentials and a text that says all, except
// for waits that were cut short.
class ServerCredentials : public http::Credentials {
 public:
  // The certificate for a new connection, read anew; nullptr: none. After current().
  virtual Result<std::unique_ptr<net::Identity>> identity() = 0;

  // Told when connections that are open show a certificate that is no longer ours.
  void on_new_identity(std::function<void()> told) { told_ = std::move(told); }

 protected:
  void tell_new_identity() const {
    if (told_) {
      told_();
    }
  }

 private:
  std::function<void()> told_;
};

// All of them outlive what is made.
std::unique_ptr<ServerCredentials> make_credentials(const ServerConfig& config,
                                                    rt::Runtime& runtime,
                                                    rt::Programs& programs,
                                                    const Surroundings& surroundings);

// What `material` holds or names; empty where it is empty. `what` names it in the error.
Result<std::string> read_material(const Material& material,
                                  std::string_view what,
                                  const Surroundings& surroundings);

// The certificate of the user itself; nullptr: it has none.
Result<std::unique_ptr<net::Identity>> read_identity(const ServerConfig& config,
                                                     const Surroundings& surroundings);

// As all errors of credentials are.
Error no_credentials(std::string text);

}  // namespace berth::kube::config
