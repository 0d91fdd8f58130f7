#include "kube/config/find_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/result.h"
#include "kube/config/server_config.h"
#include "kube/testing/fake_surroundings.h"

namespace berth::kube::config {
namespace {

using testing::HasSubstr;

std::string file(const std::string& name) {
  return "current-context: " + name + "\ncontexts: [{name: " + name +
         ", context: {cluster: " + name + "}}]\nclusters: [{name: " + name +
         ", cluster: {server: 'https://" + name + "'}}]\n";
}

class FindConfig : public testing::Test {
 protected:
  FindConfig() { surroundings_.variables["HOME"] = "/home/me"; }

  void be_a_pod() {
    surroundings_.variables["KUBERNETES_SERVICE_HOST"] = "10.96.0.1";
    surroundings_.variables["KUBERNETES_SERVICE_PORT"] = "443";
    surroundings_.files[folder_ + "/token"] = "t\n";
    surroundings_.files[folder_ + "/namespace"] = "shop\n";
  }

  // The context that was found, or the error.
  std::string found(const ConfigChoice& choice = {}) {
    const auto config = find_config(choice, surroundings_);
    return config ? config->context : config.error().text();
  }

  std::string folder_ = kServiceAccountFolder;
  testing_support::FakeSurroundings surroundings_;
};

TEST_F(FindConfig, TheFlagComesFirstThenTheVariableThenThePodThenHome) {
  surroundings_.files["/home/me/.kube/config"] = file("home");
  EXPECT_EQ(found(), "home");
  be_a_pod();
  EXPECT_EQ(found(), "in-cluster");
  surroundings_.variables["KUBECONFIG"] = "/v";
  surroundings_.files["/v"] = file("variable");
  EXPECT_EQ(found(), "variable");
  surroundings_.files["/f"] = file("flag");
  EXPECT_EQ(found({.kubeconfig = "/f"}), "flag");
}

TEST_F(FindConfig, AContextIsOneOfAKubeconfig) {
  be_a_pod();
  surroundings_.files["/home/me/.kube/config"] = file("home");
  EXPECT_EQ(found({.context = "home"}), "home");
  EXPECT_EQ(found({.context = "other"}), "the kubeconfig has no context 'other'; there are home");
}

TEST_F(FindConfig, TheFileNamedMustBeThere) {
  surroundings_.files["/home/me/.kube/config"] = file("home");
  EXPECT_EQ(found({.kubeconfig = "/f"}), "/f: cannot be opened: No such file or directory");
}

TEST_F(FindConfig, FilesOfTheVariableAreMergedAndMayBeMissing) {
  surroundings_.variables["KUBECONFIG"] = "::/a:/b:";
  EXPECT_EQ(found(),
            "KUBECONFIG is '::/a:/b:', and no such file exists; correct it, or give --kubeconfig "
            "FILE");
  surroundings_.files["/b"] = file("b");
  EXPECT_EQ(found(), "b");
  surroundings_.files["/a"] = file("a");
  EXPECT_EQ(found(), "a");
  EXPECT_EQ(found({.context = "b"}), "b");
  surroundings_.files["/a"] = "clusters: 1";
  EXPECT_EQ(found(), "/a: clusters: expected a list");
}

TEST_F(FindConfig, ThePodsAccountIsWhereKubernetesPutsIt) {
  be_a_pod();
  const auto config = find_config({}, surroundings_);
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->url.text(), "https://10.96.0.1:443");
  EXPECT_EQ(config->server_name, "10.96.0.1");
  EXPECT_EQ(config->token_file, folder_ + "/token");
  EXPECT_EQ(config->authority.path, folder_ + "/ca.crt");
  EXPECT_EQ(config->ns, "shop");
  surroundings_.variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(find_config({}, surroundings_)->url.text(), "https://[fd00::1]:443");
  surroundings_.variables["KUBERNETES_SERVICE_PORT"] = "x";
  EXPECT_THAT(found(), HasSubstr("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: "));
}

TEST_F(FindConfig, APodWithoutATokenMayHaveAKubeconfig) {
  be_a_pod();
  surroundings_.files.erase(folder_ + "/token");
  EXPECT_THAT(found(), HasSubstr("this is a pod without a service account token"));
  surroundings_.files["/home/me/.kube/config"] = file("home");
  EXPECT_EQ(found(), "home");
}

TEST_F(FindConfig, NothingAtAllSaysWhatToDo) {
  const auto config = find_config({}, surroundings_);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(
      config.error().text(),
      "nothing says where the API server is: there is no /home/me/.kube/config, KUBECONFIG is "
      "not set, and this is no pod; give --kubeconfig FILE");
}

TEST_F(FindConfig, AHomeFileThatCannotBeReadIsNotPassedOver) {
  surroundings_.files["/home/me/.kube/config"] = "clusters: 1";
  EXPECT_EQ(found(), "/home/me/.kube/config: clusters: expected a list");
  surroundings_.files["/home/me/.kube/config"] = std::string((17UL << 20U), ' ');
  EXPECT_EQ(found(), "/home/me/.kube/config: is too large");
}

}  // namespace
}  // namespace berth::kube::config
