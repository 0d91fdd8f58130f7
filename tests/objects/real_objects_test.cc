// Objects of a real server, of every kind there is: both encodings are read into the same struct,
// the struct says what the server says, and a patch of ours touches nothing but what it names.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/kinds.h"
#include "api/yaml.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "peers/cluster_client.h"
#include "peers/real_cluster.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::tests {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kPatience{60};

// Kinds that are part of a request or an answer, or that this server does not know.
constexpr std::string_view kNotStored[] = {
    "Binding", "DeleteOptions", "Eviction", "PodGroup", "SelfSubjectAccessReview", "Status"};

// What Berth writes, besides the annotation that every kind is given.
struct Change {
  std::string_view kind;
  std::string_view subresource;
  std::string_view body;
};
constexpr Change kChanges[] = {
    {"BindRequest", "status", R"({"status":{"phase":"Succeeded","reason":null}})"},
    {"ConfigMap", "", R"({"data":{"a":null,"b":"2"}})"},
    {"Lease", "", R"({"spec":{"holderIdentity":"b","renewTime":"2026-01-02T03:04:06.000001Z"}})"},
    {"Node", "", R"({"spec":{"unschedulable":true}})"},
    {"PersistentVolume",
     "",
     R"({"spec":{"claimRef":{"kind":"PersistentVolumeClaim","apiVersion":"v1","namespace":"rich",
         "name":"rich","uid":"11111111-2222-4333-8444-555555555555"}}})"},
    {"PersistentVolumeClaim", "", R"({"spec":{"volumeName":"rich"}})"},
    {"Pod",
     "status",
     R"({"status":{"conditions":[{"type":"PodBound","status":"False","reason":"Why",
         "message":"m","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:06Z"}]}})"},
    {"PodDisruptionBudget", "status", R"({"status":{"disruptionsAllowed":0}})"},
    {"ResourceClaim",
     "status",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"other",
         "uid":"99999999-2222-4333-8444-555555555555"}]}})"},
};

json::object parsed(std::string_view text) {
  return json::parse(text).as_object();
}

std::string text_at(const json::object& object, std::string_view pointer) {
  json::error_code error;
  const json::value whole = object;
  const json::value* found = whole.find_pointer(pointer, error);
  return found != nullptr && found->is_string() ? std::string(found->get_string().c_str()) : "";
}

// RFC 7386, by the letter.
void merge(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) {
    target.emplace_object();
  }
  for (const auto& member : patch.get_object()) {
    if (member.value().is_null()) {
      target.get_object().erase(member.key());
    } else {
      merge(target.get_object()[member.key()], member.value());
    }
  }
}

// What a server changes by itself with each write.
json::value without_bookkeeping(json::object object) {
  json::object& metadata = object["metadata"].as_object();
  for (const char* name : {"resourceVersion", "managedFields", "generation"}) {
    metadata.erase(name);
  }
  return object;
}

// Where `part` says something that `whole` does not, or says otherwise; empty when nowhere.
std::string contradiction(const json::value& part, const json::value& whole) {
  if (part.is_object() && whole.is_object()) {
    for (const auto& member : part.get_object()) {
      const json::value* other = whole.get_object().if_contains(member.key());
      const std::string found =
          other == nullptr ? std::string(" is not there") : contradiction(member.value(), *other);
      if (!found.empty()) {
        return "." + std::string(member.key()) + found;
      }
    }
    return {};
  }
  if (part.is_array() && whole.is_array() && part.get_array().size() == whole.get_array().size()) {
    for (std::size_t i = 0; i < part.get_array().size(); ++i) {
      const std::string found = contradiction(part.get_array()[i], whole.get_array()[i]);
      if (!found.empty()) {
        return "[" + std::to_string(i) + "]" + found;
      }
    }
    return {};
  }
  return part == whole ? std::string()
                       : " is " + json::serialize(part) + ", not " + json::serialize(whole);
}

struct RichObject {
  const api::KindEntry* kind = nullptr;
  kube::ObjectKey key;
  json::object sent;
};

struct ClusterOfObjects {
  std::unique_ptr<RealCluster> cluster;
  std::vector<RichObject> objects;
};

Result<std::vector<RichObject>> read_rich_objects() {
  std::ifstream file(BERTH_RICH_OBJECTS);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<RichObject> objects;
  for (const api::YamlDocument& document : api::read_yaml(text)) {
    if (!document.json) {
      return document.json.error();
    }
    RichObject object{.sent = parsed(*document.json)};
    object.kind =
        api::find_kind(text_at(object.sent, "/apiVersion"), text_at(object.sent, "/kind"));
    if (object.kind == nullptr) {
      return Error(ErrorCode::kInvalid, "not a kind of ours: " + *document.json);
    }
    object.key = {.ns = text_at(object.sent, "/metadata/namespace"),
                  .name = text_at(object.sent, "/metadata/name")};
    objects.push_back(std::move(object));
  }
  return objects;
}

// "persistentvolumes", "events.events.k8s.io"
std::string resource_of(const api::Kind& kind) {
  return std::string(kind.plural) + (kind.group.empty() ? "" : "." + std::string(kind.group));
}

Result<ClusterOfObjects> start() {
  BERTH_TRY(std::vector<RichObject> objects, read_rich_objects());
  BERTH_TRY(std::unique_ptr<RealCluster> cluster, RealCluster::start({}));
  if (auto defined = cluster->define(BERTH_BIND_REQUESTS); !defined) {
    return std::move(defined).error();
  }
  BERTH_TRY([[maybe_unused]] const std::string created,
            cluster->kubectl({"create", "-o", "name", "-f", BERTH_RICH_OBJECTS}));
  for (const RichObject& object : objects) {
    const json::value* status = object.sent.if_contains("status");
    if (status == nullptr) {
      continue;
    }
    std::vector<std::string> arguments = {"patch", resource_of(*object.kind->kind)};
    if (!object.key.ns.empty()) {
      arguments.insert(arguments.end(), {"--namespace", object.key.ns});
    }
    arguments.insert(arguments.end(),
                     {object.key.name,
                      "--subresource",
                      "status",
                      "--type",
                      "merge",
                      "--patch",
                      json::serialize(json::object{{"status", *status}})});
    if (auto patched = cluster->kubectl(arguments); !patched) {
      return std::move(patched).error().in(object.kind->kind->name);
    }
  }
  return ClusterOfObjects{std::move(cluster), std::move(objects)};
}

class RealObjects : public testing::Test {
 protected:
  void SetUp() override {
    // Ends with the program.
    static const Result<ClusterOfObjects> started = start();
    if (!started && started.error().code() == ErrorCode::kNotFound) {
      GTEST_SKIP() << started.error().text();
    }
    ASSERT_TRUE(started) << started.error().text();
    cluster_ = started->cluster.get();
    objects_ = started->objects;
  }

  template <typename Value>
  Result<Value> wait(rt::Task<Result<Value>> task) {
    std::optional<Result<Value>> answer;
    rt::Scope scope(runtime_, "a call");
    scope.spawn("a call", keep(std::move(task), &answer));
    if (!run_until(runtime_, [&] { return answer.has_value(); }, kPatience)) {
      return Error(ErrorCode::kTimeout, "no answer");
    }
    return *std::move(answer);
  }

  rt::Until soon() { return {.deadline = runtime_.now() + kPatience}; }

  // The struct, from what the server sends in that encoding.
  Result<std::shared_ptr<void>> read(ClusterClient& client,
                                     kube::Document::Encoding encoding,
                                     const RichObject& object) {
    const api::Kind& kind = *object.kind->kind;
    auto document = wait(client.client().get({.kind = &kind, .key = object.key}, soon()));
    if (!document) {
      return std::move(document).error();
    }
    if (document->encoding != encoding) {
      return Error(ErrorCode::kInvalid, "the server answered in the other encoding");
    }
    std::shared_ptr<void> made = object.kind->make();
    const api::codec::Expected expected{.api_version = kind.api_version(),
                                        .kind = std::string(kind.name)};
    api::codec::JsonReader reader;
    auto read =
        encoding == kube::Document::Encoding::kJson
            ? reader.read(document->bytes, expected, object.kind->table(), made.get(), nullptr)
            : api::codec::read_protobuf(
                  document->bytes, kind.name, object.kind->table(), made.get(), nullptr);
    if (!read) {
      return std::move(read).error();
    }
    return made;
  }

  // Every object as kubectl shows it, by kind and name.
  std::map<std::string, json::object> all_as_kubectl_shows() {
    std::map<std::string, json::object> all;
    const auto shown = cluster_->kubectl({"get", "-o", "json", "-f", BERTH_RICH_OBJECTS});
    EXPECT_TRUE(shown) << shown.error().text();
    if (!shown) {
      return all;
    }
    const json::object list = parsed(*shown);
    for (const json::value& item : list.at("items").as_array()) {
      const json::object& object = item.as_object();
      all[text_at(object, "/apiVersion") + " " + text_at(object, "/kind")] = object;
    }
    return all;
  }
  static std::string title(const RichObject& object) {
    return object.kind->kind->api_version() + " " + std::string(object.kind->kind->name);
  }

  RealCluster* cluster_ = nullptr;
  std::vector<RichObject> objects_;
  rt::RealRuntime runtime_{1};

 private:
  template <typename Value>
  static rt::Task<void> keep(rt::Task<Result<Value>> task, std::optional<Result<Value>>* answer) {
    answer->emplace(co_await std::move(task));
  }
};

TEST_F(RealObjects, ThereIsOneOfEveryKind) {
  for (const api::KindEntry& kind : api::all_kinds()) {
    const bool is_stored =
        std::ranges::find(kNotStored, kind.kind->name) == std::ranges::end(kNotStored);
    const bool is_there = std::ranges::any_of(
        objects_, [&](const RichObject& object) { return object.kind->kind == kind.kind; });
    EXPECT_EQ(is_there, is_stored) << kind.kind->api_version() << " " << kind.kind->name;
  }
}

TEST_F(RealObjects, BothEncodingsSayTheSame) {
  ClusterClient protobuf(runtime_, *cluster_);
  ClusterClient json_only(runtime_, *cluster_, {.prefers_protobuf = false});
  const auto shown = all_as_kubectl_shows();
  for (const RichObject& object : objects_) {
    SCOPED_TRACE(title(object));
    const api::Kind& kind = *object.kind->kind;
    const auto from_json = read(json_only, kube::Document::Encoding::kJson, object);
    ASSERT_TRUE(from_json) << from_json.error().text();
    if (kind.wire == api::Wire::kProtobufAndJson) {
      const auto from_protobuf = read(protobuf, kube::Document::Encoding::kProtobuf, object);
      ASSERT_TRUE(from_protobuf) << from_protobuf.error().text();
      EXPECT_TRUE(object.kind->equal(from_json->get(), from_protobuf->get()));
    }
    const std::string written =
        api::codec::write_json({.api_version = kind.api_version(), .kind = std::string(kind.name)},
                               object.kind->table(),
                               from_json->get());
    json::object ours = parsed(written);
    // kubectl does not show who wrote what.
    ours["metadata"].as_object().erase("managedFields");
    ASSERT_TRUE(shown.contains(title(object)));
    EXPECT_EQ(contradiction(ours, shown.at(title(object))), "");
    // And something was read at all.
    EXPECT_EQ(contradiction(object.sent.at("metadata"), ours.at("metadata")), "");
  }
}

TEST_F(RealObjects, APatchLeavesEverythingElseAsItIs) {
  ClusterClient client(runtime_, *cluster_);
  const auto before = all_as_kubectl_shows();
  std::map<std::string, json::value> expected;
  for (const RichObject& object : objects_) {
    SCOPED_TRACE(title(object));
    const api::Kind& kind = *object.kind->kind;
    std::vector<Change> changes = {
        {kind.name, "", R"({"metadata":{"annotations":{"berth.dev/plan":"{\"v\":1}"}}})"}};
    for (const Change& change : kChanges) {
      if (change.kind == kind.name) {
        changes.push_back(change);
      }
    }
    ASSERT_TRUE(before.contains(title(object)));
    json::value as_wanted = without_bookkeeping(before.at(title(object)));
    std::string version = text_at(before.at(title(object)), "/metadata/resourceVersion");
    for (const Change& change : changes) {
      kube::PatchRequest request{
          .kind = &kind,
          .key = object.key,
          .subresource = std::string(change.subresource),
          .type = kube::PatchType::kMerge,
          .body = kube::guarded_merge(change.body,
                                      {.uid = text_at(before.at(title(object)), "/metadata/uid"),
                                       .resource_version = version})};
      const auto patched = wait(client.client().patch(request, soon()));
      ASSERT_TRUE(patched) << patched.error().text();
      const auto head = kube::read_head(*patched);
      ASSERT_TRUE(head) << head.error().text();
      version = head->metadata.resource_version;
      merge(as_wanted, json::parse(change.body));
      // The object is not what it was any more, and the guard knows.
      const auto again = wait(client.client().patch(request, soon()));
      ASSERT_FALSE(again);
      EXPECT_EQ(again.error().code(), ErrorCode::kConflict) << again.error().text();
    }
    expected[title(object)] = std::move(as_wanted);
  }
  for (const auto& [name, object] : all_as_kubectl_shows()) {
    const json::value is = without_bookkeeping(object);
    EXPECT_EQ(contradiction(is, expected[name]), "") << name;
    EXPECT_EQ(contradiction(expected[name], is), "") << name;
  }
}

}  // namespace
}  // namespace berth::tests
