#include "kube/http/http_client.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/kind.h"
#include "api/objects/meta.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/failure.h"
#include "kube/http/answer.h"
#include "kube/http/credentials.h"
#include "kube/http/request_path.h"
#include "kube/http/watch_frames.h"
#include "net/connection_pool.h"
#include "net/exchange.h"
#include "net/http.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube::http {
namespace {

constexpr int kUnauthorized = 401;
// A request that the server certainly did not look at goes to another connection so often.
constexpr int kTriesMax = 3;

// A failure in the midst of an answer.
Error cut(Error error) {
  return error.code() == ErrorCode::kUnavailable
             ? std::move(error).in("the answer was cut off").with_reason(failure::kAnswerCut)
             : std::move(error);
}

// A failure after the request was sent: nobody knows whether a write was applied.
Error after_sending(Error error, Effect effect) {
  if (effect == Effect::kRead) {
    return error;
  }
  return Error(ErrorCode::kUnknownOutcome, error.text());
}

std::string_view content_type_of(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
  }
  return "";
}

class HttpWatch final : public Watch {
 public:
  HttpWatch(std::unique_ptr<net::Exchange> exchange, Document::Encoding encoding)
      : exchange_(std::move(exchange)), frames_(encoding) {}

  rt::Task<Result<std::optional<WatchEvent>>> next(rt::Until until) override {
    while (true) {
      auto event = frames_.next();
      if (!event || *event) {
        co_return std::move(event);
      }
      auto piece = co_await exchange_->next(until);
      if (!piece) {
        co_return std::move(piece).error();
      }
      if (!*piece) {
        if (!frames_.is_between_events()) {
          co_return Error(ErrorCode::kUnavailable, "the watch ended in the middle of an event");
        }
        co_return std::optional<WatchEvent>();
      }
      frames_.add(**piece);
    }
  }

 private:
  std::unique_ptr<net::Exchange> exchange_;
  WatchFrames frames_;
};

std::string delete_options(const RemoveRequest& request) {
  api::DeleteOptions options;
  options.grace_period_seconds = request.grace_period_seconds;
  if (!request.uid.empty() || !request.resource_version.empty()) {
    api::Preconditions conditions;
    if (!request.uid.empty()) {
      conditions.uid = request.uid;
    }
    if (!request.resource_version.empty()) {
      conditions.resource_version = request.resource_version;
    }
    options.preconditions = std::move(conditions);
  }
  return api::to_json(options);
}

}  // namespace

std::string HttpClient::accept_of(const api::Kind& kind) const {
  const bool is_protobuf = options_.prefers_protobuf && kind.wire == api::Wire::kProtobufAndJson;
  return is_protobuf ? fmt::format("{},{}", kProtobuf, kJson) : std::string(kJson);
}

rt::Task<Result<std::string>> HttpClient::get_path(std::string path, rt::Until until) {
  Call call{.method = "GET", .path = std::move(path), .accept = std::string(kJson)};
  auto answer = co_await ask(std::move(call), until);
  if (!answer) {
    co_return std::move(answer).error();
  }
  auto encoding = answer->encoding();
  if (!encoding) {
    co_return std::move(encoding).error();
  }
  if (*encoding != Document::Encoding::kJson) {
    co_return Error(ErrorCode::kInvalid, "the server answered with something other than JSON")
        .with_reason(failure::kNotKubernetes);
  }
  co_return std::move(answer->body);
}

rt::Task<Result<Document>> HttpClient::get(GetRequest request, rt::Until until) {
  auto path = path_of(*request.kind, request.key, "");
  if (!path) {
    co_return std::move(path).error();
  }
  Call call{.method = "GET", .path = *std::move(path), .accept = accept_of(*request.kind)};
  auto answer = co_await ask(std::move(call), until);
  if (!answer) {
    co_return std::move(answer).error();
  }
  co_return document_of(*std::move(answer));
}

rt::Task<Result<ListPage>> HttpClient::list(ListRequest request, rt::Until until) {
  Call call{.method = "GET", .path = list_path(request), .accept = accept_of(*request.of.kind)};
  auto answer = co_await ask(std::move(call), until);
  if (!answer) {
    co_return std::move(answer).error();
  }
  co_return page_of(*answer);
}

rt::Task<Result<std::unique_ptr<Watch>>> HttpClient::watch(WatchRequest request, rt::Until until) {
  const api::Kind& kind = *request.of.kind;
  const bool is_protobuf = options_.prefers_protobuf && kind.wire == api::Wire::kProtobufAndJson;
  const Call call{.method = "GET",
                  .path = watch_path(request),
                  .accept = is_protobuf ? fmt::format("{};stream=watch,{}", kProtobuf, kJson)
                                        : std::string(kJson)};
  auto begun = co_await begin(&call, &watches_, until);
  if (!begun) {
    co_return std::move(begun).error();
  }
  const Answer answer{.head = begun->head};
  if (!answer.is_success()) {
    auto whole = co_await finish(*std::move(begun), call.effect, until);
    co_return whole ? Error(ErrorCode::kServerError, "a watch that is no watch")
                    : std::move(whole).error();
  }
  auto encoding = answer.encoding();
  if (!encoding) {
    co_return std::move(encoding).error();
  }
  co_return std::unique_ptr<Watch>(
      std::make_unique<HttpWatch>(std::move(begun->exchange), *encoding));
}

rt::Task<Result<Document>> HttpClient::create(CreateRequest request, rt::Until until) {
  Call call{.method = "POST",
            .accept = accept_of(*request.kind),
            .content_type = std::string(kJson),
            .body = std::move(request.body)};
  auto path = create_path(request);
  co_return co_await write(std::move(path), std::move(call), until);
}

rt::Task<Result<Document>> HttpClient::patch(PatchRequest request, rt::Until until) {
  Call call{.method = "PATCH",
            .accept = accept_of(*request.kind),
            .content_type = std::string(content_type_of(request.type)),
            .body = std::move(request.body)};
  auto path = path_of(*request.kind, request.key, request.subresource);
  co_return co_await write(std::move(path), std::move(call), until);
}

rt::Task<Result<void>> HttpClient::remove(RemoveRequest request, rt::Until until) {
  Call call{.method = "DELETE",
            .accept = std::string(kJson),
            .content_type = std::string(kJson),
            .body = delete_options(request)};
  auto path = path_of(*request.kind, request.key, "");
  auto answer = co_await write(std::move(path), std::move(call), until);
  if (!answer) {
    co_return std::move(answer).error();
  }
  co_return Result<void>();
}

rt::Task<Result<Document>> HttpClient::write(Result<std::string> path, Call call, rt::Until until) {
  if (!path) {
    co_return std::move(path).error();
  }
  call.path = *std::move(path);
  call.effect = Effect::kWrite;
  auto answer = co_await ask(std::move(call), until);
  if (!answer) {
    co_return std::move(answer).error();
  }
  auto document = document_of(*std::move(answer));
  if (!document) {
    co_return after_sending(std::move(document).error(), Effect::kWrite);
  }
  co_return std::move(document);
}

rt::Task<Result<Answer>> HttpClient::ask(Call call, rt::Until until) {
  auto begun = co_await begin(&call, &requests_, until);
  if (!begun) {
    co_return std::move(begun).error();
  }
  co_return co_await finish(*std::move(begun), call.effect, until);
}

rt::Task<Result<Answer>> HttpClient::finish(Begun begun, Effect effect, rt::Until until) {
  Answer answer{.head = std::move(begun.head)};
  while (true) {
    auto piece = co_await begun.exchange->next(until);
    if (!piece) {
      // The head of a refusal says enough.
      if (!answer.is_success()) {
        break;
      }
      co_return after_sending(cut(std::move(piece).error()), effect);
    }
    if (!*piece) {
      break;
    }
    answer.body += **piece;
    if (answer.body.size() > options_.body_max) {
      co_return after_sending(Error(ErrorCode::kLimit, "the answer is too large"), effect);
    }
  }
  if (!answer.is_success()) {
    co_return error_of(answer, effect);
  }
  co_return std::move(answer);
}

rt::Task<Result<net::RequestHead>> HttpClient::head_of(const Call* call,
                                                       std::uint64_t* credential,
                                                       rt::Until until) {
  net::RequestHead head{.method = call->method,
                        .scheme = options_.scheme,
                        .authority = options_.authority,
                        .path = options_.base_path + call->path,
                        .headers = {{"accept", call->accept}, {"user-agent", options_.user_agent}}};
  if (!call->content_type.empty()) {
    head.headers.push_back({"content-type", call->content_type});
  }
  head.headers.insert(head.headers.end(), options_.headers.begin(), options_.headers.end());
  auto shown = co_await credentials_.current(until);
  if (!shown) {
    co_return std::move(shown).error();
  }
  if (shown->token) {
    head.headers.push_back({"authorization", "Bearer " + shown->token->reveal()});
  }
  *credential = shown->number;
  co_return std::move(head);
}

rt::Task<Result<HttpClient::Begun>> HttpClient::begin(const Call* call,
                                                      net::ConnectionPool* pool,
                                                      rt::Until until) {
  bool has_renewed = false;
  for (int tries = 1;; ++tries) {
    bool may_retry = false;
    auto begun = co_await begin_once(call, pool, &may_retry, until);
    if (!begun) {
      if (may_retry && tries < kTriesMax) {
        continue;
      }
      co_return std::move(begun);
    }
    if (begun->head.status == kUnauthorized && !has_renewed &&
        credentials_.renew(begun->credential)) {
      has_renewed = true;
      continue;
    }
    co_return std::move(begun);
  }
}

rt::Task<Result<HttpClient::Begun>> HttpClient::begin_once(const Call* call,
                                                           net::ConnectionPool* pool,
                                                           bool* may_retry,
                                                           rt::Until until) {
  std::uint64_t credential = 0;
  auto head = co_await head_of(call, &credential, until);
  if (!head) {
    co_return std::move(head).error();
  }
  auto exchange = co_await pool->send(*std::move(head), call->body, until);
  if (!exchange) {
    co_return std::move(exchange).error();
  }
  auto response = co_await (*exchange)->head(until);
  if (response) {
    co_return Begun{*std::move(exchange), *std::move(response), credential};
  }
  if (!(*exchange)->may_have_acted()) {
    *may_retry = true;
    co_return std::move(response).error();
  }
  co_return after_sending(std::move(response).error(), call->effect);
}

}  // namespace berth::kube::http
