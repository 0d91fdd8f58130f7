#include "kube/config/kubeconfig.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/members.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "api/yaml.h"
#include "base/error.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/config/kubeconfig_fields_internal.h"
#include "kube/config/near_names.h"

namespace berth::kube::config {
namespace {

using api::shown;
using internal::AnyFields;
using internal::ClusterFields;
using internal::ContextFields;
using internal::ExecFields;
using internal::FileFields;
using internal::UserFields;

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// Reads one file.
class FileReader {
 public:
  explicit FileReader(const std::string& file) : file_(file) {}

  Result<Kubeconfig> read(std::string_view text) {
    auto documents = api::read_yaml(text);
    if (documents.empty()) {
      return Kubeconfig{};
    }
    if (documents.size() > 1) {
      return Error(ErrorCode::kInvalid,
                   fmt::format("line {}: a kubeconfig is one document, and here begins another",
                               documents[1].line));
    }
    BERTH_TRY(const std::string json, std::move(documents.front().json));
    FileFields fields;
    BERTH_TRY(const auto slips, read_fields(json, FileFields::table(), &fields));
    if ((!fields.kind.empty() && fields.kind != "Config") ||
        (!fields.api_version.empty() && fields.api_version != "v1")) {
      return Error(ErrorCode::kInvalid,
                   fmt::format("this is no kubeconfig: it says kind '{}' of apiVersion '{}', and "
                               "not Config of v1",
                               shown(fields.kind),
                               shown(fields.api_version)));
    }
    Kubeconfig config{.current_context = std::move(fields.current_context)};
    for (const std::string& slip : slips) {
      config.slips.push_back(fmt::format("{} has {}", file_, slip));
    }
    if (auto added = add_all("cluster", fields.clusters, config.clusters); !added) {
      return std::move(added).error();
    }
    if (auto added = add_all("user", fields.users, config.users); !added) {
      return std::move(added).error();
    }
    if (auto added = add_all("context", fields.contexts, config.contexts); !added) {
      return std::move(added).error();
    }
    return config;
  }

 private:
  using Slips = std::vector<std::string>;

  // Fills `object` and tells the slips of the pen among its names.
  Result<Slips> read_fields(std::string_view json, const api::Table& table, void* object) {
    if (auto read = reader_.read(json, {}, table, object, nullptr); !read) {
      return std::move(read).error();
    }
    AnyFields all;
    const std::string wrapped = fmt::format("{{\"members\":{}}}", json);
    if (auto read = reader_.read(wrapped, {}, AnyFields::table(), &all, nullptr); !read) {
      return std::move(read).error();
    }
    std::vector<std::string_view> missing;
    for (const auto& known : table.json_names()) {
      if (!all.members.contains(known.name)) {
        missing.push_back(known.name);
      }
    }
    Slips slips;
    for (const auto& [name, value] : all.members) {
      if (is_known(table, name)) {
        continue;
      }
      if (const std::string_view meant = nearest_name(name, missing); !meant.empty()) {
        slips.push_back(fmt::format("'{}' (is '{}' meant?)", shown(name), meant));
      }
    }
    return slips;
  }

  static bool is_known(const api::Table& table, std::string_view name) {
    for (const auto& known : table.json_names()) {
      if (known.name == name) {
        return true;
      }
    }
    return false;
  }

  template <typename Named, typename Value>
  Result<void> add_all(std::string_view what,
                       const std::vector<Named>& list,
                       api::Map<Entry<Value>>& entries) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string& name = list[i].name;
      if (name.empty()) {
        return Error(ErrorCode::kInvalid, fmt::format("{}s[{}]: has no name", what, i));
      }
      const std::string where = fmt::format("{} '{}'", what, shown(name));
      if (entries.contains(name)) {
        return Error(ErrorCode::kInvalid, "stands twice in the file; delete one").in(where);
      }
      Entry<Value> entry{.file = file_};
      // Absent, or null: an entry that says nothing.
      if (!list[i].value.text.empty()) {
        if (auto read = fill(list[i].value.text, entry); !read) {
          return std::move(read).error().in(where);
        }
      }
      entries.emplace(name, std::move(entry));
    }
    return {};
  }

  Result<void> fill(std::string_view json, Entry<Cluster>& entry) {
    ClusterFields fields;
    BERTH_TRY(entry.slips, read_fields(json, ClusterFields::table(), &fields));
    entry.value = {.server = std::move(fields.server),
                   .tls_server_name = std::move(fields.tls_server_name),
                   .is_insecure = fields.insecure_skip_tls_verify,
                   .authority = {.path = beside(fields.certificate_authority),
                                 .data = Secret(fields.certificate_authority_data.data)},
                   .proxy_url = std::move(fields.proxy_url)};
    for (auto& extension : fields.extensions) {
      if (extension.name == kExecExtension) {
        entry.value.exec_config = std::move(extension.extension.text);
      }
    }
    return {};
  }

  Result<void> fill(std::string_view json, Entry<User>& entry) {
    UserFields fields;
    BERTH_TRY(entry.slips, read_fields(json, UserFields::table(), &fields));
    entry.value = {
        .certificate = {.path = beside(fields.client_certificate),
                        .data = Secret(fields.client_certificate_data.data)},
        .key = {.path = beside(fields.client_key), .data = Secret(fields.client_key_data.data)},
        .token = Secret(std::move(fields.token)),
        .token_file = beside(fields.token_file),
        .as = std::move(fields.as),
        .as_uid = std::move(fields.as_uid),
        .as_groups = std::move(fields.as_groups),
        .as_extra = std::move(fields.as_user_extra),
        .has_password = !fields.username.empty() || !fields.password.empty(),
        .has_auth_provider = !fields.auth_provider.text.empty()};
    if (fields.exec.text.empty()) {
      return {};
    }
    auto plugin = read_plugin(fields.exec.text, entry.slips);
    if (!plugin) {
      return std::move(plugin).error().in("exec");
    }
    entry.value.exec = *std::move(plugin);
    return {};
  }

  Result<void> fill(std::string_view json, Entry<Context>& entry) {
    ContextFields fields;
    BERTH_TRY(entry.slips, read_fields(json, ContextFields::table(), &fields));
    entry.value = {.cluster = std::move(fields.cluster),
                   .user = std::move(fields.user),
                   .ns = std::move(fields.ns)};
    return {};
  }

  Result<ExecPlugin> read_plugin(std::string_view json, Slips& slips) {
    ExecFields fields;
    BERTH_TRY(const Slips more, read_fields(json, ExecFields::table(), &fields));
    slips.insert(slips.end(), more.begin(), more.end());
    // A bare name is looked for in PATH.
    const bool is_path = fields.command.find('/') != std::string::npos;
    ExecPlugin plugin{.api_version = std::move(fields.api_version),
                      .command = is_path ? beside(fields.command) : std::move(fields.command),
                      .arguments = std::move(fields.args),
                      .install_hint = std::move(fields.install_hint),
                      .wants_cluster_info = fields.provide_cluster_info,
                      .interactive_mode = std::move(fields.interactive_mode)};
    for (auto& variable : fields.env) {
      plugin.environment.emplace_back(std::move(variable.name), std::move(variable.value));
    }
    return plugin;
  }

  // Relative paths start from the folder of the file they stand in.
  std::string beside(const std::string& path) const {
    const std::size_t slash = file_.rfind('/');
    if (path.empty() || path.starts_with('/') || slash == std::string::npos) {
      return path;
    }
    return file_.substr(0, slash + 1) + path;
  }

  const std::string& file_;
  api::codec::JsonReader reader_;
};

template <typename Value>
void merge(api::Map<Entry<Value>>& into, api::Map<Entry<Value>>& from) {
  for (auto& [name, entry] : from) {
    into.try_emplace(name, std::move(entry));
  }
}

}  // namespace

Result<Kubeconfig> read_kubeconfig(std::string_view text, const std::string& file) {
  auto config = FileReader(file).read(text);
  if (!config) {
    return std::move(config).error().in(file);
  }
  return config;
}

Kubeconfig merged(std::vector<Kubeconfig> configs) {
  Kubeconfig all;
  for (Kubeconfig& config : configs) {
    if (all.current_context.empty()) {
      all.current_context = std::move(config.current_context);
    }
    merge(all.clusters, config.clusters);
    merge(all.users, config.users);
    merge(all.contexts, config.contexts);
    all.slips.insert(all.slips.end(), config.slips.begin(), config.slips.end());
  }
  return all;
}

}  // namespace berth::kube::config
