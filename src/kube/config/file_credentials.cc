#include "kube/config/file_credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/text.h"
#include "base/error.h"
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

FileCredentials::FileCredentials(ServerConfig config,
                                 rt::Runtime& runtime,
                                 const Surroundings& surroundings)
    : config_(std::move(config)),
      runtime_(runtime),
      surroundings_(surroundings),
      token_(config_.token) {}

rt::Task<Result<http::Credential>> FileCredentials::current(rt::Until /*until*/) {
  if (!config_.token_file.empty() && runtime_.now() >= read_again_at_) {
    auto read = read_token();
    if (!read && token_.empty()) {
      co_return std::move(read).error();
    }
  }
  http::Credential credential{.number = number_};
  if (!token_.empty()) {
    credential.token = token_;
  }
  co_return credential;
}

bool FileCredentials::renew(std::uint64_t number) {
  if (number == number_ && !config_.token_file.empty()) {
    // What could not be read leaves the number as it is.
    static_cast<void>(read_token());
  }
  if (number == number_) {
    look_for_another_identity();
  }
  return number != number_;
}

Result<std::unique_ptr<net::Identity>> FileCredentials::identity() {
  auto identity = read_identity(config_, surroundings_);
  if (identity && *identity != nullptr) {
    shown_certificate_ = (*identity)->certificate_pem;
  }
  return identity;
}

Result<void> FileCredentials::read_token() {
  const std::string where = fmt::format("{}: tokenFile {}", config_.user, config_.token_file);
  auto text = surroundings_.read(config_.token_file, kMaterialSizeMax);
  if (!text) {
    return no_credentials(text.error().text()).in(where);
  }
  const std::string_view token = api::trimmed(*text);
  if (token.empty()) {
    return no_credentials("is empty").in(where);
  }
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; })) {
    return no_credentials("holds spaces, line breaks or other characters that no token has")
        .in(where);
  }
  read_again_at_ = rt::after(runtime_.now(), kTokenAgeMax);
  if (token != token_.reveal()) {
    token_ = Secret(std::string(token));
    ++number_;
  }
  return {};
}

void FileCredentials::look_for_another_identity() {
  const auto identity = read_identity(config_, surroundings_);
  if (identity && *identity != nullptr && (*identity)->certificate_pem != shown_certificate_) {
    ++number_;
    tell_new_identity();
  }
}

}  // namespace berth::kube::config
