#include "app/binder/probes.h"

#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/result.h"
#include "net/http.h"
#include "net/http_server.h"
#include "rt/task.h"

namespace berth::app {
namespace {

constexpr int kOk = 200;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kUnavailable = 503;

struct Answer {
  int status = kOk;
  std::string body;
  std::string_view type = "text/plain; charset=utf-8";
};

Answer answer_to(const net::RequestHead& head, const ProbeAnswers& answers) {
  if (head.method != "GET" && head.method != "HEAD") {
    return {.status = kMethodNotAllowed, .body = "only GET\n"};
  }
  const std::string_view path = std::string_view(head.path).substr(0, head.path.find('?'));
  // That this is answered at all is the answer.
  if (path == "/healthz" && answers.not_ready) {
    return {.body = "ok\n"};
  }
  if (path == "/readyz" && answers.not_ready) {
    const std::string why = answers.not_ready();
    return why.empty() ? Answer{.body = "ok\n"}
                       : Answer{.status = kUnavailable, .body = "not ready: " + why + "\n"};
  }
  if (path == "/metrics" && answers.metrics) {
    return {.body = answers.metrics(), .type = kMetricsContentType};
  }
  return {.status = kNotFound, .body = "not found\n"};
}

}  // namespace

net::ServerLimits probe_limits() {
  return {.connections_max = 64,
          .streams_max = 8,
          .header_bytes_max = 8UL * 1024,
          .body_max = 0,
          .unanswered_max = 64UL * 1024};
}

rt::Task<Result<void>> Probes::handle(net::ServerRequest request, net::ResponseWriter* writer) {
  const Answer answer = answer_to(request.head, answers_);
  writer->answer({.status = answer.status, .headers = {{"content-type", std::string(answer.type)}}},
                 request.head.method == "HEAD" ? std::string_view() : answer.body);
  co_return Result<void>();
}

}  // namespace berth::app
