// The Client that speaks HTTP with an API server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "api/kind.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/http/answer.h"
#include "kube/http/credentials.h"
#include "net/connection_pool.h"
#include "net/exchange.h"
#include "net/http.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::kube::http {

struct HttpClientOptions {
  std::string authority;  // "127.0.0.1:6443"
  std::string scheme = "https";
  std::string base_path;  // of a server behind a proxy: "/k8s/clusters/c-1"
  std::string user_agent = "berth";
  net::Headers headers;  // sent with each request
  // Built-in kinds as protobuf; custom resources are JSON either way.
  bool prefers_protobuf = true;
  std::size_t body_max = 512UL << 20U;
};

class HttpClient final : public Client {
 public:
  // `requests` and `watches` lead to the same server: streams that stay open must not take the
  // place of requests.
  HttpClient(HttpClientOptions options,
             net::ConnectionPool& requests,
             net::ConnectionPool& watches,
             Credentials& credentials)
      : options_(std::move(options)),
        requests_(requests),
        watches_(watches),
        credentials_(credentials) {}

  rt::Task<Result<Document>> get(GetRequest request, rt::Until until) override;
  rt::Task<Result<ListPage>> list(ListRequest request, rt::Until until) override;
  rt::Task<Result<std::unique_ptr<Watch>>> watch(WatchRequest request, rt::Until until) override;
  rt::Task<Result<Document>> create(CreateRequest request, rt::Until until) override;
  rt::Task<Result<Document>> patch(PatchRequest request, rt::Until until) override;
  rt::Task<Result<void>> remove(RemoveRequest request, rt::Until until) override;

  // What stands at a path that is no object's, "/version": JSON.
  rt::Task<Result<std::string>> get_path(std::string path, rt::Until until);

 private:
  // One call as HTTP has it.
  struct Call {
    std::string method;
    std::string path;
    std::string accept;
    std::string content_type;
    std::string body;
    Effect effect = Effect::kRead;
  };
  // An exchange whose head has come.
  struct Begun {
    std::unique_ptr<net::Exchange> exchange;
    net::ResponseHead head;
    std::uint64_t credential = 0;  // what was shown
  };

  std::string accept_of(const api::Kind& kind) const;
  rt::Task<Result<net::RequestHead>> head_of(const Call* call,
                                             std::uint64_t* credential,
                                             rt::Until until);
  rt::Task<Result<Begun>> begin(const Call* call, net::ConnectionPool* pool, rt::Until until);
  rt::Task<Result<Begun>> begin_once(const Call* call,
                                     net::ConnectionPool* pool,
                                     bool* may_retry,
                                     rt::Until until);
  // The whole answer; one that is no success is an error.
  rt::Task<Result<Answer>> ask(Call call, rt::Until until);
  rt::Task<Result<Answer>> finish(Begun begun, Effect effect, rt::Until until);
  rt::Task<Result<Document>> write(Result<std::string> path, Call call, rt::Until until);

  HttpClientOptions options_;
  net::ConnectionPool& requests_;
  net::ConnectionPool& watches_;
  Credentials& credentials_;
};

}  // namespace berth::kube::http
