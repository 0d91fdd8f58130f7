#include "app/volumes_plan/cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/testing/fake_client.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::app {
namespace {

using testing::HasSubstr;

class AskCluster : public testing::Test {
 protected:
  AskCluster() {
    client_.on_list = [this](const kube::ListRequest& request) -> Result<kube::ListPage> {
      requests_.push_back(request);
      if (*request.of.kind != api::Node::kKind) {
        return kube::ListPage{};
      }
      return nodes(request);
    };
  }

  // Three nodes on two pages.
  Result<kube::ListPage> nodes(const kube::ListRequest& request) {
    if (!error_.empty()) {
      auto error = std::move(error_.back());
      error_.pop_back();
      if (error) {
        return *std::move(error);
      }
    }
    if (request.continue_token.empty()) {
      return kube::ListPage{.continue_token = "more", .items = {node("a"), node("b")}};
    }
    return kube::ListPage{.items = {node("c")}};
  }

  static kube::Document node(const std::string& name) {
    return {.bytes = fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)};
  }

  static rt::Task<void> keep(kube::Client* client,
                             rt::Runtime* runtime,
                             ClusterQuestion question,
                             std::optional<Result<ClusterAnswer>>* answer) {
    answer->emplace(co_await ask_cluster(client, runtime, std::move(question)));
  }

  Result<ClusterAnswer> ask(ClusterQuestion question) {
    std::optional<Result<ClusterAnswer>> answer;
    scope_.spawn("ask", keep(&client_, &simulation_, std::move(question), &answer));
    simulation_.run_until(rt::kNever);
    return *std::move(answer);
  }

  rt::Simulation simulation_{1};
  kube::testing::FakeClient client_{simulation_};
  rt::Scope scope_{simulation_, "test"};
  std::vector<kube::ListRequest> requests_;
  std::vector<std::optional<Error>> error_;  // of the next lists of nodes, the last first
};

TEST_F(AskCluster, EveryPageOfEveryKindIsListed) {
  const auto answer = ask({.ns = "shop"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->objects.nodes.size(), 3U);
  EXPECT_EQ(answer->objects.nodes[2]->metadata.name, "c");
  EXPECT_EQ(requests_.size(), 8U) << "seven kinds, one of them with two pages";
  EXPECT_EQ(requests_[0].of.ns, "shop") << "claims are those of the pod's namespace";
  EXPECT_EQ(requests_[1].of.ns, "");
}

TEST_F(AskCluster, AListThatTheServerForgotBeginsAnew) {
  error_ = {Error(ErrorCode::kGone, "too old"), std::nullopt};
  const auto answer = ask({.ns = "shop"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->objects.nodes.size(), 3U);
}

TEST_F(AskCluster, AListThatIsForgottenAgainAndAgainIsAnError) {
  for (int i = 0; i < 10; ++i) {
    error_.emplace_back(Error(ErrorCode::kGone, "too old"));
  }
  const auto answer = ask({.ns = "shop"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kGone);
}

TEST_F(AskCluster, WhatIsForbiddenIsAnError) {
  error_ = {Error(ErrorCode::kForbidden, "nodes is forbidden")};
  const auto answer = ask({.ns = "shop"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kForbidden);
}

TEST_F(AskCluster, AnObjectThatCannotBeReadIsLeftOutAndTold) {
  client_.on_list = [](const kube::ListRequest& request) -> Result<kube::ListPage> {
    if (*request.of.kind != api::PersistentVolume::kKind) {
      return kube::ListPage{};
    }
    return kube::ListPage{
        .items = {{.bytes = R"({"metadata":{"name":"good"}})"},
                  {.bytes = R"({"metadata":{"name":"bad"},"spec":{"capacity":{"storage":[]}}})"}}};
  };
  const auto answer = ask({.ns = "shop"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->objects.volumes.size(), 1U);
  ASSERT_EQ(answer->skipped.size(), 1U);
  EXPECT_THAT(answer->skipped[0], HasSubstr("bad"));
}

TEST_F(AskCluster, ThePodIsFetchedByItsName) {
  client_.on_get = [](const kube::GetRequest& request) -> Result<kube::Document> {
    EXPECT_EQ(request.key.ns, "shop");
    return kube::Document{
        .bytes = fmt::format(R"({{"metadata":{{"name":"{}","uid":"7"}}}})", request.key.name)};
  };
  const auto answer = ask({.ns = "shop", .pod_name = "db-0"});
  ASSERT_TRUE(answer);
  ASSERT_TRUE(answer->pod);
  EXPECT_EQ(answer->pod->metadata.uid, "7");
  client_.on_get = [](const kube::GetRequest&) -> Result<kube::Document> {
    return Error(ErrorCode::kNotFound, "pods \"db-0\" not found");
  };
  EXPECT_FALSE(ask({.ns = "shop", .pod_name = "db-0"}));
}

}  // namespace
}  // namespace berth::app
