#include "peers/real_cluster.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"

namespace berth::tests {
namespace {

// Two objects that only controllers make something of.
constexpr const char* kVolumeAndClaim = R"(
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: ""
  hostPath: {path: /tmp}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: ""
  resources: {requests: {storage: 1Gi}}
)";

class RealClusterTest : public testing::Test {
 protected:
  void start(const RealCluster::Options& options) {
    auto cluster = RealCluster::start(options);
    if (!cluster && cluster.error().code() == ErrorCode::kNotFound) {
      GTEST_SKIP() << cluster.error().text();
    }
    ASSERT_TRUE(cluster) << cluster.error().text();
    cluster_ = *std::move(cluster);
  }

  std::unique_ptr<RealCluster> cluster_;
};

TEST_F(RealClusterTest, ServesUntilItsEndAndLeavesNothing) {
  start({});
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  EXPECT_EQ(cluster_->url(), "https://127.0.0.1:" + std::to_string(cluster_->port()));
  EXPECT_TRUE(cluster_->kubectl({"create", "-o", "name", "-f", "-"}, kVolumeAndClaim));
  const auto name = cluster_->kubectl({"get", "-o", "name", "pv", "v"});
  ASSERT_TRUE(name) << name.error().text();
  EXPECT_EQ(*name, "persistentvolume/v\n");

  const auto missing = cluster_->kubectl({"get", "pv", "w"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("\"w\" not found"), std::string::npos)
      << missing.error().text();

  const std::string folder = cluster_->folder();
  EXPECT_TRUE(std::filesystem::exists(folder));
  cluster_ = nullptr;
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(RealClusterTest, RunsTheControllersItIsAskedFor) {
  start({.controllers = "persistentvolume-binder-controller"});
  if (IsSkipped() || HasFatalFailure()) {
    return;
  }
  ASSERT_TRUE(cluster_->kubectl({"create", "-f", "-"}, kVolumeAndClaim));
  const auto bound = cluster_->kubectl(
      {"wait", "--for", "jsonpath={.status.phase}=Bound", "--timeout", "60s", "pvc/c"});
  EXPECT_TRUE(bound) << bound.error().text();
}

TEST_F(RealClusterTest, SaysWhyItDoesNotStart) {
  const auto cluster = RealCluster::start({.server_arguments = {"--no-such-flag"}});
  ASSERT_FALSE(cluster);
  if (cluster.error().code() == ErrorCode::kNotFound) {
    GTEST_SKIP() << cluster.error().text();
  }
  EXPECT_NE(cluster.error().text().find("unknown flag: --no-such-flag"), std::string::npos)
      << cluster.error().text();
}

}  // namespace
}  // namespace berth::tests
