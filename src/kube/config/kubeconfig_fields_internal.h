// The fields of a kubeconfig as they are written, one table line each. Also those that are only
// known so that nobody takes them for a slip of the pen.
#pragma once

#include <string>
#include <vector>

#include "api/members.h"
#include "api/table.h"

namespace berth::kube::config::internal {

struct ExtensionFields {
  std::string name;
  api::RawJson extension;

  static const api::Table& table();
};

struct ClusterFields {
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;
  api::Bytes certificate_authority_data;
  std::string proxy_url;
  bool disable_compression = false;
  std::vector<ExtensionFields> extensions;

  static const api::Table& table();
};

struct UserFields {
  std::string client_certificate;
  api::Bytes client_certificate_data;
  std::string client_key;
  api::Bytes client_key_data;
  std::string token;
  std::string token_file;
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  api::Map<std::vector<std::string>> as_user_extra;
  std::string username;
  std::string password;
  api::RawJson auth_provider;
  api::RawJson exec;
  api::RawJson extensions;

  static const api::Table& table();
};

struct VariableFields {
  std::string name;
  std::string value;

  static const api::Table& table();
};

struct ExecFields {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<VariableFields> env;
  std::string install_hint;
  bool provide_cluster_info = false;
  std::string interactive_mode;

  static const api::Table& table();
};

struct ContextFields {
  std::string cluster;
  std::string user;
  std::string ns;
  api::RawJson extensions;

  static const api::Table& table();
};

// An entry of a list, whose value is read by itself, so that its errors can name it.
struct NamedCluster {
  std::string name;
  api::RawJson value;

  static const api::Table& table();
};
struct NamedUser {
  std::string name;
  api::RawJson value;

  static const api::Table& table();
};
struct NamedContext {
  std::string name;
  api::RawJson value;

  static const api::Table& table();
};

struct FileFields {
  std::string api_version;
  std::string kind;
  api::RawJson preferences;
  std::vector<NamedCluster> clusters;
  std::vector<NamedUser> users;
  std::vector<NamedContext> contexts;
  std::string current_context;
  api::RawJson extensions;

  static const api::Table& table();
};

// The members of any object, by name.
struct AnyFields {
  api::Map<api::RawJson> members;

  static const api::Table& table();
};

}  // namespace berth::kube::config::internal
