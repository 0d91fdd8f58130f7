#include "app/ping.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/table.h"
#include "app/real_server.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/find_config.h"
#include "kube/config/server_config.h"
#include "kube/failure.h"
#include "kube/server_connection.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::app {
namespace {

// From the moment we have credentials, connecting included.
constexpr auto kAnswerMax = std::chrono::seconds(20);

struct VersionFields {
  std::string git_version;

  static const api::Table& table() {
    static const api::Table table{api::json_field("gitVersion", &VersionFields::git_version)};
    return table;
  }
};

Result<std::string> read_version(std::string_view json) {
  VersionFields fields;
  api::codec::JsonReader reader;
  const auto read = reader.read(json, {}, VersionFields::table(), &fields, nullptr);
  if (!read || fields.git_version.empty()) {
    return Error(ErrorCode::kInvalid, read ? "it names no version" : read.error().text())
        .with_reason(kube::failure::kNotKubernetes);
  }
  return fields.git_version;
}

rt::Task<Result<std::string>> fetch_version(kube::ServerConnection* server, rt::Until until) {
  auto body = co_await server->client().get_path("/version", until);
  if (!body) {
    co_return std::move(body).error();
  }
  co_return read_version(*body);
}

rt::Task<void> ask_and_stop(rt::RealRuntime* runtime,
                            kube::ServerConnection* server,
                            std::optional<Result<Pong>>* pong) {
  // How long credentials may take is their own affair.
  auto prepared = co_await server->prepare({});
  if (prepared) {
    pong->emplace(
        co_await ask_version(server, {.deadline = rt::after(runtime->now(), kAnswerMax)}));
  } else {
    pong->emplace(Error(prepared.error().code(), server->explain(prepared.error())));
  }
  runtime->stop();
}

}  // namespace

rt::Task<Result<Pong>> ask_version(kube::ServerConnection* server, rt::Until until) {
  auto version = co_await fetch_version(server, until);
  if (!version) {
    co_return Error(version.error().code(), server->explain(version.error()));
  }
  co_return Pong{.version = *std::move(version),
                 .url = server->config().url.text(),
                 .context = server->config().context};
}

Result<Pong> ping(const kube::config::ConfigChoice& choice) {
  BERTH_TRY(kube::config::ServerConfig config, RealServer::find(choice));
  rt::RealRuntime runtime(1);
  RealServer server(runtime, std::move(config));
  std::optional<Result<Pong>> pong;
  rt::Scope scope(runtime, "ping");
  scope.spawn("ping", ask_and_stop(&runtime, &server.connection(), &pong));
  runtime.run();
  return *std::move(pong);
}

}  // namespace berth::app
