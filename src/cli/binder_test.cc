// `berth binder` as far as it comes without a server: what is wrong with its options is said before
// anything else, and those that are right get as far as the kubeconfig that is not there.
#include "cli/binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace berth::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kNowhere = "/nonexistent/kubeconfig";

class BinderCommand : public testing::Test {
 protected:
  // What it says on standard error; it never succeeds here.
  std::string error_of(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"berth", "binder", "--kubeconfig", kNowhere});
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run(static_cast<int>(arguments.size()), arguments.data(), in, out, err), 1);
    return err.str();
  }
};

const std::string kNotThere =
    "error: /nonexistent/kubeconfig: cannot be opened: No such file or directory\n";

TEST_F(BinderCommand, TakesWhatAnInstallationOfKaiPasses) {
  EXPECT_EQ(error_of({"--scheduler-name",
                      "kai-scheduler",
                      "--resource-reservation-namespace=kai-resource-reservation",
                      "--resource-reservation-service-account",
                      "kai-resource-reservation",
                      "--resource-reservation-pod-image",
                      "registry/image:1",
                      "--resource-reservation-app-label",
                      "kai-resource-reservation",
                      "--scale-adjust-namespace",
                      "kai-scale-adjust",
                      "--metrics-bind-address",
                      ":8080",
                      "--health-probe-bind-address=:8081",
                      "--cdi-enabled=false",
                      "--leader-elect",
                      "--qps=20",
                      "--burst",
                      "100",
                      "--runtime-class-name=nvidia",
                      "--feature-gates=DynamicResourceAllocation=true",
                      "--zap-log-level",
                      "debug",
                      "--zap-encoder=console"}),
            kNotThere);
}

TEST_F(BinderCommand, RefusesWhatNobodyKnows) {
  EXPECT_THAT(error_of({"--leader-elected"}), HasSubstr("--leader-elected"));
  EXPECT_THAT(error_of({"--log-level", "loud"}), HasSubstr("loud not in {debug,info,warn,error}"));
  EXPECT_THAT(error_of({"--max-concurrent-reconciles", "0"}),
              HasSubstr("--max-concurrent-reconciles"));
}

TEST_F(BinderCommand, TimesMustFitTogether) {
  EXPECT_EQ(error_of({"--leader-elect-lease-duration=2s",
                      "--leader-elect-renew-deadline=1500ms",
                      "--leader-elect-retry-period=300ms"}),
            kNotThere);
  EXPECT_EQ(error_of({"--leader-elect-lease-duration=10s"}),
            "error: a lease of 10s with a renew deadline of 10s and a retry period of 2s: each "
            "must be longer than the next\n");
  EXPECT_EQ(error_of({"--leader-elect-retry-period=0s"}),
            "error: a lease of 15s with a renew deadline of 10s and a retry period of 0s: each "
            "must be longer than the next\n");
  EXPECT_EQ(error_of({"--leader-elect-lease-duration=900ms",
                      "--leader-elect-renew-deadline=500ms",
                      "--leader-elect-retry-period=100ms"}),
            "error: a lease is at least 1s: servers count whole seconds\n");
  EXPECT_EQ(error_of({"--shutdown-grace-period=soon"}),
            "error: --shutdown-grace-period: 'soon': expected a time up to 24h, such as 15s, "
            "1m30s or 500ms\n");
  EXPECT_EQ(error_of({"--rate-limiter-base-delay=30"}),
            "error: --rate-limiter-base-delay is longer than --rate-limiter-max-delay\n");
}

}  // namespace
}  // namespace berth::cli
