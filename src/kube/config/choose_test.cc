#include "kube/config/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/server_config.h"
#include "net/http.h"

namespace berth::kube::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<ServerConfig> chosen(std::string_view yaml, const std::string& context = "") {
  BERTH_TRY(const Kubeconfig config, read_kubeconfig(yaml, "F"));
  return choose(config, context);
}

// A context `a` of this cluster and this user.
std::string file(const std::string& cluster, const std::string& user = "{}") {
  return "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
         "clusters: [{name: c, cluster: " +
         cluster + "}]\nusers: [{name: u, user: " + user + "}]\n";
}

std::string error_of(const Result<ServerConfig>& config) {
  return config ? "chosen" : config.error().text();
}

TEST(Choose, TheCurrentContextOrTheOneNamed) {
  const std::string yaml = file("{server: 'https://h'}") + "extensions: []\n";
  auto config = chosen(yaml);
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->context, "a");
  EXPECT_EQ(config->cluster, "cluster 'c' in F");
  EXPECT_EQ(config->user, "user 'u' in F");
  EXPECT_EQ(config->url.text(), "https://h:443");
  EXPECT_EQ(config->server_name, "h");
  EXPECT_EQ(error_of(chosen(yaml, "b")), "the kubeconfig has no context 'b'; there are a");
  EXPECT_TRUE(chosen(yaml, "a"));
}

TEST(Choose, WhatIsMissingIsNamedWithWhatIsThere) {
  EXPECT_EQ(
      error_of(chosen("current-contxt: a\ncontexts: [{name: a}]")),
      "the kubeconfig has no current-context: set it with kubectl config use-context NAME, or "
      "give --context NAME (there are a); F has 'current-contxt' (is 'current-context' meant?)");
  EXPECT_EQ(error_of(chosen("current-context: a")),
            "the kubeconfig has no context 'a'; there is none");
  EXPECT_EQ(error_of(chosen("current-context: a\ncontexts: [{name: a}]")),
            "context 'a' names no cluster");
  EXPECT_EQ(error_of(chosen("current-context: a\ncontexts: [{name: a, context: {cluster: x}}]\n"
                            "clusters: [{name: c}]")),
            "context 'a' names cluster 'x', which is not there; there are c");
  EXPECT_EQ(error_of(chosen("current-context: a\ncontexts: [{name: a, context: {cluster: c, user: "
                            "x}}]\nclusters: [{name: c, cluster: {server: h}}]")),
            "context 'a' names user 'x', which is not there; there is none");
}

TEST(Choose, ASlipOfThePenInWhatIsUsedIsAnError) {
  EXPECT_EQ(error_of(chosen(file("{server: h, certificate-authority-dat: Q0E=}"))),
            "F: cluster 'c' has 'certificate-authority-dat' (is 'certificate-authority-data' "
            "meant?); correct it");
  EXPECT_EQ(error_of(chosen(file("{server: h}", "{tokn: x}"))),
            "F: user 'u' has 'tokn' (is 'token' meant?); correct it");
  EXPECT_EQ(error_of(chosen(file("{sever: h}"))),
            "F: cluster 'c' has 'sever' (is 'server' meant?); correct it");
  // Elsewhere it harms nobody.
  EXPECT_TRUE(chosen(file("{server: h}, }, {name: d, cluster: {sever: h}")));
}

TEST(Choose, AContextWithoutAUserIsNobody) {
  const auto config = chosen(
      "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
      "clusters: [{name: c, cluster: {server: h}}]");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->user, "context 'a' in F, which names no user");
}

TEST(Choose, ClustersWeCannotReachAreRefused) {
  EXPECT_EQ(error_of(chosen(file("{}"))), "F: cluster 'c': has no server");
  EXPECT_EQ(error_of(chosen(file("{server: 'https://h:x'}"))),
            "F: cluster 'c': server: 'https://h:x' is no address of a server: host or port are "
            "missing or wrong; it should look like https://host:6443");
  EXPECT_EQ(error_of(chosen(file("{server: h, proxy-url: 'http://p'}"))),
            "F: cluster 'c': proxy-url is not supported; remove it, or reach the server without a "
            "proxy");
  EXPECT_THAT(error_of(chosen(
                  file("{server: h, insecure-skip-tls-verify: true, certificate-authority: x}"))),
              HasSubstr("which exclude each other"));
}

TEST(Choose, InTheClearOnlyOnThisMachineOrWhereAskedFor) {
  EXPECT_TRUE(chosen(file("{server: 'http://127.0.0.1:8001'}")));
  EXPECT_THAT(error_of(chosen(file("{server: 'http://h'}"))),
              HasSubstr("http://h:80 is not encrypted, and not on this machine; use https"));
  const auto config = chosen(file("{server: 'http://h', insecure-skip-tls-verify: true}",
                                  "{token: t, client-certificate: c, client-key: k}"));
  ASSERT_TRUE(config) << config.error().text();
  // Whoever listens gets nothing.
  EXPECT_TRUE(config->token.empty());
  EXPECT_TRUE(config->certificate.is_empty());
  EXPECT_EQ(chosen(file("{server: 'http://localhost'}", "{token: t}"))->token.reveal(), "t");
}

TEST(Choose, TheNameInTheCertificateMayBeAnother) {
  EXPECT_EQ(chosen(file("{server: 'https://10.0.0.1', tls-server-name: api}"))->server_name, "api");
}

TEST(Choose, UsersWeCannotBeAreRefused) {
  EXPECT_THAT(error_of(chosen(file("{server: h}", "{username: a, password: b}"))),
              HasSubstr("F: user 'u': username and password are accepted by no Kubernetes server"));
  EXPECT_THAT(error_of(chosen(file("{server: h}", "{auth-provider: {name: gcp}}"))),
              HasSubstr("auth-provider is not supported; use an exec plugin"));
  EXPECT_EQ(error_of(chosen(file("{server: h}", "{client-certificate: a}"))),
            "F: user 'u': has client-certificate but no client-key");
  EXPECT_EQ(error_of(chosen(file("{server: h}", "{client-key-data: QQ==}"))),
            "F: user 'u': has client-key but no client-certificate");
  EXPECT_THAT(error_of(chosen(file("{server: h}", "{token: \"a\\nb\"}"))),
              HasSubstr("token: holds line breaks"));
}

std::string plugin_error(const std::string& plugin) {
  return error_of(chosen(file("{server: h}", "{exec: " + plugin + "}")));
}

TEST(Choose, PluginsWeCannotRunAreRefused) {
  const std::string version = "apiVersion: client.authentication.k8s.io/v1";
  EXPECT_EQ(plugin_error("{" + version + ", command: c}"), "chosen");
  EXPECT_EQ(plugin_error("{apiVersion: client.authentication.k8s.io/v1beta1, command: c}"),
            "chosen");
  EXPECT_EQ(plugin_error("{" + version + "}"), "F: user 'u': exec: has no command");
  EXPECT_THAT(plugin_error("{command: c, apiVersion: client.authentication.k8s.io/v1alpha1}"),
              HasSubstr("apiVersion is 'client.authentication.k8s.io/v1alpha1'; it must be"));
  EXPECT_THAT(plugin_error("{" + version + ", command: c, interactiveMode: Always}"),
              HasSubstr("Berth has no terminal to lend"));
  EXPECT_THAT(plugin_error("{" + version + ", command: c, interactiveMode: Perhaps}"),
              HasSubstr("interactiveMode is 'Perhaps'"));
  EXPECT_THAT(plugin_error("{" + version + ", command: c, env: [{name: 'a=b', value: c}]}"),
              HasSubstr("'a=b' is no name of a variable"));
  EXPECT_THAT(plugin_error("{" + version + ", command: c, args: [\"a\\0b\"]}"),
              HasSubstr("zero byte"));
}

TEST(Choose, ATokenNeedsNoPlugin) {
  const auto config =
      chosen(file("{server: h}",
                  "{token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: c}}"));
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->exec);
}

TEST(Choose, ImpersonationBecomesHeaders) {
  const auto config = chosen(
      file("{server: h}",
           "{as: jane, as-uid: '7', as-groups: [a, b], as-user-extra: {'Acme/Scope%': [x]}}"));
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_THAT(config->impersonation,
              ElementsAre(net::Header{"impersonate-user", "jane"},
                          net::Header{"impersonate-uid", "7"},
                          net::Header{"impersonate-group", "a"},
                          net::Header{"impersonate-group", "b"},
                          net::Header{"impersonate-extra-acme%2Fscope%25", "x"}));
  EXPECT_THAT(chosen(file("{server: h}"))->impersonation, IsEmpty());
  EXPECT_THAT(error_of(chosen(file("{server: h}", "{as-groups: [a]}"))), HasSubstr("need 'as'"));
  EXPECT_THAT(error_of(chosen(file("{server: h}", "{as: \"a\\r\\nb\"}"))),
              HasSubstr("cannot be sent in impersonate-user"));
}

}  // namespace
}  // namespace berth::kube::config
