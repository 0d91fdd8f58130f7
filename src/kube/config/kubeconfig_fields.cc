#include "api/table.h"
#include "kube/config/kubeconfig_fields_internal.h"

namespace berth::kube::config::internal {

using api::json_field;
using api::Table;

const Table& ExtensionFields::table() {
  using S = ExtensionFields;
  static const Table table{json_field("name", &S::name), json_field("extension", &S::extension)};
  return table;
}

const Table& ClusterFields::table() {
  using S = ClusterFields;
  static const Table table{
      json_field("server", &S::server),
      json_field("tls-server-name", &S::tls_server_name),
      json_field("insecure-skip-tls-verify", &S::insecure_skip_tls_verify),
      json_field("certificate-authority", &S::certificate_authority),
      json_field("certificate-authority-data", &S::certificate_authority_data),
      json_field("proxy-url", &S::proxy_url),
      json_field("disable-compression", &S::disable_compression),
      json_field("extensions", &S::extensions),
  };
  return table;
}

const Table& UserFields::table() {
  using S = UserFields;
  static const Table table{
      json_field("client-certificate", &S::client_certificate),
      json_field("client-certificate-data", &S::client_certificate_data),
      json_field("client-key", &S::client_key),
      json_field("client-key-data", &S::client_key_data),
      json_field("token", &S::token),
      json_field("tokenFile", &S::token_file),
      json_field("as", &S::as),
      json_field("as-uid", &S::as_uid),
      json_field("as-groups", &S::as_groups),
      json_field("as-user-extra", &S::as_user_extra),
      json_field("username", &S::username),
      json_field("password", &S::password),
      json_field("auth-provider", &S::auth_provider),
      json_field("exec", &S::exec),
      json_field("extensions", &S::extensions),
  };
  return table;
}

const Table& VariableFields::table() {
  using S = VariableFields;
  static const Table table{json_field("name", &S::name), json_field("value", &S::value)};
  return table;
}

const Table& ExecFields::table() {
  using S = ExecFields;
  static const Table table{
      json_field("apiVersion", &S::api_version),
      json_field("command", &S::command),
      json_field("args", &S::args),
      json_field("env", &S::env),
      json_field("installHint", &S::install_hint),
      json_field("provideClusterInfo", &S::provide_cluster_info),
      json_field("interactiveMode", &S::interactive_mode),
  };
  return table;
}

const Table& ContextFields::table() {
  using S = ContextFields;
  static const Table table{
      json_field("cluster", &S::cluster),
      json_field("user", &S::user),
      json_field("namespace", &S::ns),
      json_field("extensions", &S::extensions),
  };
  return table;
}

const Table& NamedCluster::table() {
  using S = NamedCluster;
  static const Table table{json_field("name", &S::name), json_field("cluster", &S::value)};
  return table;
}

const Table& NamedUser::table() {
  using S = NamedUser;
  static const Table table{json_field("name", &S::name), json_field("user", &S::value)};
  return table;
}

const Table& NamedContext::table() {
  using S = NamedContext;
  static const Table table{json_field("name", &S::name), json_field("context", &S::value)};
  return table;
}

const Table& FileFields::table() {
  using S = FileFields;
  static const Table table{
      json_field("apiVersion", &S::api_version),
      json_field("kind", &S::kind),
      json_field("preferences", &S::preferences),
      json_field("clusters", &S::clusters),
      json_field("users", &S::users),
      json_field("contexts", &S::contexts),
      json_field("current-context", &S::current_context),
      json_field("extensions", &S::extensions),
  };
  return table;
}

const Table& AnyFields::table() {
  static const Table table{json_field("members", &AnyFields::members)};
  return table;
}

}  // namespace berth::kube::config::internal
