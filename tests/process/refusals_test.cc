// The program itself before servers that fail: one line on standard error, and exit code 1.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/testing/failing_server.h"
#include "base/result.h"
#include "net/http.h"
#include "net/testing/answering_server.h"
#include "net/testing/certificates.h"
#include "rt/programs.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::tests {
namespace {

using net::testing_support::Reply;
using net::testing_support::self_signed;
using std::chrono::hours;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Refusals : public testing::Test, protected app::testing_support::FailingServer {
 protected:
  static rt::Task<void> keep(Refusals* test,
                             rt::Program program,
                             std::optional<Result<rt::ProgramEnd>>* end) {
    end->emplace(co_await test->programs_.run(std::move(program), {}));
    test->runtime_.stop();
  }

  // What a command says on standard error, without "error: " and the end of the line.
  std::string refusal_of(std::vector<std::string> arguments) {
    const std::string path =
        fmt::format("{}berth_refusals_{}",
                    testing::TempDir(),
                    testing::UnitTest::GetInstance()->current_test_info()->name());
    std::ofstream(path) << surroundings_.files["F"];
    arguments.insert(arguments.end(), {"--kubeconfig", path});
    std::optional<Result<rt::ProgramEnd>> end;
    rt::Scope running(runtime_, "program");
    scope_.spawn("server", serve(this));
    running.spawn("run",
                  keep(this,
                       {.path = BERTH_PROGRAM,
                        .arguments = std::move(arguments),
                        .time_max = std::chrono::seconds(100)},
                       &end));
    runtime_.run();
    EXPECT_TRUE(*end) << end->error().text();
    if (!*end) {
      return "";
    }
    EXPECT_EQ((*end)->code, 1);
    EXPECT_THAT((*end)->output, IsEmpty());
    std::string line = (*end)->errors;
    EXPECT_THAT(line, StartsWith("error: "));
    EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line: " << line;
    return line.substr(7, line.size() - 8);
  }
  std::string ping_refusal() { return refusal_of({"ping"}); }
  // Nothing is logged before it knows the server.
  std::string binder_refusal() {
    return refusal_of({"binder", "--metrics-bind-address=0", "--health-probe-bind-address=0"});
  }
};

TEST_F(Refusals, NobodyIsThere) {
  const std::string where = url();
  write_config("token: t");
  listener_.reset();
  scope_.close();
  EXPECT_THAT(ping_refusal(), StartsWith(where + " refuses connections: is the server running"));
  EXPECT_THAT(binder_refusal(), StartsWith(where + " refuses connections: is the server running"));
}

TEST_F(Refusals, AnAuthorityThatIsNotTheServers) {
  write_config("token: t", trust(self_signed("IP:127.0.0.1", hours(1))));
  EXPECT_THAT(ping_refusal(), HasSubstr(" is not signed by the certificate-authority named for "));
  EXPECT_THAT(binder_refusal(), HasSubstr(" is not signed by the certificate-authority named "));
}

TEST_F(Refusals, AnExpiredCertificate) {
  server_ = self_signed("IP:127.0.0.1", std::chrono::seconds(-10));
  write_config("token: t");
  EXPECT_THAT(ping_refusal(), HasSubstr(" has expired: renew it on the server"));
}

TEST_F(Refusals, ABadToken) {
  reply_ = [](const net::RequestHead& head) { return version_for(head, "right"); };
  write_config("token: wrong");
  EXPECT_THAT(ping_refusal(), StartsWith(url() + " does not know us (401, Unauthorized)"));
  EXPECT_THAT(binder_refusal(), StartsWith(url() + " does not know us (401, Unauthorized)"));
}

TEST_F(Refusals, APluginThatFails) {
  write_config(plugin("echo please log in >&2; exit 7"));
  EXPECT_THAT(ping_refusal(), HasSubstr("failed with exit code 7: please log in"));
  EXPECT_THAT(binder_refusal(), HasSubstr("failed with exit code 7: please log in"));
}

// As long as a plugin may take, a minute.
TEST_F(Refusals, APluginThatHangs) {
  write_config(plugin("echo opening a browser >&2; exec sleep 1000"));
  EXPECT_THAT(ping_refusal(), HasSubstr("did not end within 60 s: opening a browser"));
}

TEST_F(Refusals, APageInsteadOfAnAnswer) {
  reply_ = [](const net::RequestHead&) {
    return Reply{.status = 403, .content_type = "text/html", .body = "<html>Log in</html>"};
  };
  write_config("token: t");
  EXPECT_THAT(ping_refusal(), StartsWith("what answers at " + url() + " is no API server but a "));
  EXPECT_THAT(binder_refusal(), StartsWith("what answers at " + url() + " is no API server but "));
}

TEST_F(Refusals, AnAnswerThatIsCutInTheMiddle) {
  reply_ = [](const net::RequestHead&) {
    return Reply{.body = R"({"gitVersion":"v1.)", .is_cut = true};
  };
  write_config("token: t");
  EXPECT_THAT(ping_refusal(), StartsWith(url() + " sent half an answer (the answer was cut off: "));
}

TEST_F(Refusals, AClusterWithoutBindRequests) {
  reply_ = [](const net::RequestHead& head) {
    return head.path == "/version"
               ? version()
               : Reply{.status = 404, .content_type = "text/plain", .body = "404 page not found\n"};
  };
  write_config("token: t");
  EXPECT_EQ(binder_refusal(),
            url() + " does not know BindRequests; install them: berth crds | kubectl apply -f -");
}

}  // namespace
}  // namespace berth::tests
