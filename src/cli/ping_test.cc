#include "cli/ping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "cli/exit_code.h"

namespace berth::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Ping : public testing::Test {
 protected:
  // What `berth ping` says of a kubeconfig: one line on standard error.
  std::string error_of(const std::string& kubeconfig) {
    const std::string path = testing::TempDir() + "/berth_ping_test";
    std::ofstream(path) << kubeconfig;
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(ping({.kubeconfig = path}, out, err), ExitCode::kError);
    EXPECT_EQ(out.str(), "");
    EXPECT_THAT(err.str(), StartsWith("error: "));
    EXPECT_EQ(err.str().find('\n'), err.str().size() - 1) << "one line";
    return err.str();
  }

  static std::string file(const std::string& cluster, const std::string& user) {
    return "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: " +
           cluster + "}]\nusers: [{name: u, user: " + user + "}]\n";
  }
};

TEST_F(Ping, AServerThatIsNotThere) {
  EXPECT_THAT(error_of(file("{server: 'https://127.0.0.1:1'}", "{token: t}")),
              StartsWith("error: https://127.0.0.1:1 refuses connections: is the server running"));
}

TEST_F(Ping, ATypoInTheKubeconfig) {
  EXPECT_THAT(error_of(file("{server: h, certificate-authority-dat: Q0E=}", "{}")),
              EndsWith("/berth_ping_test: cluster 'c' has 'certificate-authority-dat' (is "
                       "'certificate-authority-data' meant?); correct it\n"));
  EXPECT_THAT(error_of(file("{server: h\n", "{}")), HasSubstr("/berth_ping_test: line "));
}

TEST_F(Ping, AKubeconfigThatIsNotThere) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(ping({.kubeconfig = "/no/such\nfile"}, out, err), ExitCode::kError);
  EXPECT_EQ(err.str(), "error: /no/such\\nfile: cannot be opened: No such file or directory\n");
}

TEST_F(Ping, APluginThatIsNotThere) {
  EXPECT_THAT(
      error_of(file("{server: 'https://127.0.0.1:1'}",
                    "{exec: {apiVersion: client.authentication.k8s.io/v1, command: "
                    "berth-no-such-plugin, installHint: \"get it\\nthere\"}}")),
      EndsWith("/berth_ping_test: there is no program 'berth-no-such-plugin'; get it there\n"));
}

}  // namespace
}  // namespace berth::cli
