#include "kube/config/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace berth::kube::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::string_view kWhole = R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: admin@prod
clusters:
- name: prod
  cluster:
    server: https://10.0.0.1:6443
    tls-server-name: kubernetes
    certificate-authority: ../pki/ca.crt
    certificate-authority-data: Q0E=
    disable-compression: true
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: prod}
users:
- name: admin
  user:
    client-certificate: admin.crt
    client-key: /etc/admin.key
    token: secret
    tokenFile: token
    as: root
    as-uid: "0"
    as-groups: [wheel]
    as-user-extra: {scopes: [view, edit]}
- name: plugged
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [--cluster, prod]
      env: [{name: REGION, value: eu}]
      installHint: get it
      provideClusterInfo: true
      interactiveMode: Never
contexts:
- name: admin@prod
  context: {cluster: prod, user: admin, namespace: shop}
)";

Kubeconfig read(std::string_view text, const std::string& file = "/home/me/.kube/config") {
  auto config = read_kubeconfig(text, file);
  EXPECT_TRUE(config) << config.error().text();
  return config ? *std::move(config) : Kubeconfig{};
}

std::string error_of(std::string_view text) {
  const auto config = read_kubeconfig(text, "F");
  return config ? "read" : config.error().text();
}

TEST(Kubeconfig, IsReadWhole) {
  const Kubeconfig config = read(kWhole);
  EXPECT_EQ(config.current_context, "admin@prod");
  EXPECT_THAT(config.slips, IsEmpty());

  const Cluster& cluster = config.clusters.at("prod").value;
  EXPECT_EQ(cluster.server, "https://10.0.0.1:6443");
  EXPECT_EQ(cluster.tls_server_name, "kubernetes");
  EXPECT_EQ(cluster.authority.path, "/home/me/.kube/../pki/ca.crt");
  EXPECT_EQ(cluster.authority.data.reveal(), "CA");
  EXPECT_EQ(cluster.exec_config, R"({"audience":"prod"})");
  EXPECT_FALSE(cluster.is_insecure);

  const User& admin = config.users.at("admin").value;
  EXPECT_EQ(admin.certificate.path, "/home/me/.kube/admin.crt");
  EXPECT_EQ(admin.key.path, "/etc/admin.key");
  EXPECT_EQ(admin.token.reveal(), "secret");
  EXPECT_EQ(admin.token_file, "/home/me/.kube/token");
  EXPECT_EQ(admin.as, "root");
  EXPECT_EQ(admin.as_uid, "0");
  EXPECT_THAT(admin.as_groups, ElementsAre("wheel"));
  EXPECT_THAT(admin.as_extra, ElementsAre(Pair("scopes", ElementsAre("view", "edit"))));
  EXPECT_FALSE(admin.exec);

  const Context& context = config.contexts.at("admin@prod").value;
  EXPECT_EQ(context.cluster, "prod");
  EXPECT_EQ(context.user, "admin");
  EXPECT_EQ(context.ns, "shop");
}

TEST(Kubeconfig, APluginIsReadWhole) {
  const Kubeconfig config = read(kWhole);
  const auto& plugin = config.users.at("plugged").value.exec;
  ASSERT_TRUE(plugin);
  EXPECT_EQ(plugin->api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(plugin->command, "/home/me/.kube/./bin/login");
  EXPECT_THAT(plugin->arguments, ElementsAre("--cluster", "prod"));
  EXPECT_THAT(plugin->environment, ElementsAre(Pair("REGION", "eu")));
  EXPECT_EQ(plugin->install_hint, "get it");
  EXPECT_TRUE(plugin->wants_cluster_info);
  EXPECT_EQ(plugin->interactive_mode, "Never");
}

TEST(Kubeconfig, ACommandWithoutASlashIsLookedForInPath) {
  const Kubeconfig config = read("users: [{name: a, user: {exec: {command: aws}}}]");
  EXPECT_EQ(config.users.at("a").value.exec->command, "aws");
}

TEST(Kubeconfig, PathsOfAFileInTheWorkingFolderStayAsTheyAre) {
  const Kubeconfig config = read("users: [{name: a, user: {tokenFile: t}}]", "config");
  EXPECT_EQ(config.users.at("a").value.token_file, "t");
}

TEST(Kubeconfig, MayBeEmptyOrJson) {
  EXPECT_THAT(read("").clusters, IsEmpty());
  EXPECT_THAT(read("# nothing\n").clusters, IsEmpty());
  EXPECT_EQ(read(R"({"kind":"Config","apiVersion":"v1","current-context":"x"})").current_context,
            "x");
  EXPECT_EQ(read("clusters: null\nusers:\ncontexts: [{name: a, context: null}]").contexts.size(),
            1U);
}

TEST(Kubeconfig, ErrorsNameTheFileAndTheField) {
  EXPECT_EQ(error_of("clusters: [{name: p, cluster: {server: 1}}]"),
            "F: cluster 'p': server: expected a string");
  EXPECT_EQ(error_of("clusters: [{name: p, cluster: {insecure-skip-tls-verify: 'true'}}]"),
            "F: cluster 'p': insecure-skip-tls-verify: expected true or false");
  EXPECT_EQ(error_of("clusters: [{name: p, cluster: {certificate-authority-data: '!'}}]"),
            "F: cluster 'p': certificate-authority-data: is not base64");
  EXPECT_EQ(error_of("users: [{name: u, user: {exec: {args: x}}}]"),
            "F: user 'u': exec: args: expected a list");
  EXPECT_EQ(error_of("users: [{name: u, user: x}]"), "F: user 'u': expected an object");
  EXPECT_EQ(error_of("clusters: {}"), "F: clusters: expected a list");
  EXPECT_EQ(error_of("clusters: [{cluster: {}}]"), "F: clusters[0]: has no name");
  EXPECT_EQ(error_of("users: [{name: a}, {name: a}]"),
            "F: user 'a': stands twice in the file; delete one");
  EXPECT_EQ(error_of("just a word"), "F: expected an object");
  EXPECT_EQ(error_of("a: 1\n---\nb: 1\n"),
            "F: line 2: a kubeconfig is one document, and here begins another");
  EXPECT_EQ(
      error_of("kind: Pod\napiVersion: v1\n"),
      "F: this is no kubeconfig: it says kind 'Pod' of apiVersion 'v1', and not Config of v1");
  EXPECT_THAT(error_of("clusters: [\n"), testing::StartsWith("F: line "));
}

TEST(Kubeconfig, FieldsNobodyKnowsAreSkippedAndSlipsOfThePenKept) {
  const Kubeconfig config = read(R"(
current-contxt: a
colour: blue
clusters:
- name: p
  cluster: {server: s, certificate-authority-dat: Q0E=, weather: fine}
users:
- name: u
  user:
    token: t
    tokn: x
    exec: {command: c, apiversion: v}
)",
                                 "F");
  EXPECT_THAT(config.slips, ElementsAre("F has 'current-contxt' (is 'current-context' meant?)"));
  EXPECT_THAT(config.clusters.at("p").slips,
              ElementsAre("'certificate-authority-dat' (is 'certificate-authority-data' meant?)"));
  // What is meant by tokn is there.
  EXPECT_THAT(config.users.at("u").slips, ElementsAre("'apiversion' (is 'apiVersion' meant?)"));
}

TEST(Kubeconfig, OfSeveralTheFirstThatSaysSomethingCounts) {
  std::vector<Kubeconfig> configs;
  configs.push_back(read("users: [{name: red, user: {token: a}}]", "1"));
  configs.push_back(
      read("current-context: two\nusers: [{name: red, user: {as: b}}, {name: blue}]", "2"));
  configs.push_back(read("current-context: three\nclusters: [{name: c}]", "3"));
  const Kubeconfig all = merged(std::move(configs));
  EXPECT_EQ(all.current_context, "two");
  EXPECT_EQ(all.users.size(), 2U);
  // Whole: nothing of the second red is mixed in.
  EXPECT_EQ(all.users.at("red").value.token.reveal(), "a");
  EXPECT_EQ(all.users.at("red").value.as, "");
  EXPECT_EQ(all.users.at("red").file, "1");
  EXPECT_EQ(all.clusters.at("c").file, "3");
}

}  // namespace
}  // namespace berth::kube::config
