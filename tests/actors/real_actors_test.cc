// The same story with kube-controller-manager's PV controller and with ours, each on a real API
// server of its own, ends in the same objects and events. The provisioner is ours both times.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/provisioner.h"
#include "actors/pv_controller.h"
#include "base/error.h"
#include "base/result.h"
#include "peers/cluster_client.h"
#include "peers/real_cluster.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/time.h"

namespace berth::tests {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;

enum class Controller : std::uint8_t { kTheirs, kOurs };

// Objects. ---------------------------------------------------------------------------------------

std::string storage_class(std::string_view name,
                          std::string_view provisioner,
                          std::string_view mode,
                          std::string_view more = "") {
  return fmt::format(
      R"({{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass",)"
      R"("metadata":{{"name":"{}"}},"provisioner":"{}","volumeBindingMode":"{}"{}}})",
      name,
      provisioner,
      mode,
      more);
}

constexpr std::string_view kCsi = R"("csi":{"driver":"example.com","volumeHandle":"h"})";

std::string volume(std::string_view name,
                   std::string_view class_name,
                   std::string_view size,
                   std::string_view more = "",
                   std::string_view policy = "Retain",
                   std::string_view source = kCsi) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"PersistentVolume","metadata":{{"name":"{}"}},)"
      R"("spec":{{"storageClassName":"{}","capacity":{{"storage":"{}"}},)"
      R"("accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"{}",{}{}}}}})",
      name,
      class_name,
      size,
      policy,
      source,
      more);
}

std::string claim(std::string_view name,
                  std::string_view spec,
                  std::string_view size,
                  std::string_view meta = "") {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{{"name":"{}"{}}},)"
      R"("spec":{{"resources":{{"requests":{{"storage":"{}"}}}},)"
      R"("accessModes":["ReadWriteOnce"]{}}}}})",
      name,
      meta,
      size,
      spec);
}

std::string of(std::string_view class_name) {
  return fmt::format(R"(,"storageClassName":"{}")", class_name);
}

std::string list_of(const std::vector<std::string>& objects) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"List","items":[{}]}})",
                     fmt::join(objects, ","));
}

// One cluster, and who runs on it. ----------------------------------------------------------------

class Stage {
 public:
  explicit Stage(std::unique_ptr<RealCluster> cluster, Controller controller)
      : cluster_(std::move(cluster)), client_(runtime_, *cluster_), scope_(runtime_, "stage") {
    if (controller == Controller::kOurs) {
      controller_.emplace(runtime_, client_.client(), actors::PvControllerOptions{});
      scope_.spawn("pv controller", controller_->run(scope_.token()));
    }
    provisioner_.emplace(runtime_, client_.client(), actors::ProvisionerOptions{});
    scope_.spawn("provisioner", provisioner_->run(scope_.token()));
  }

  void create(const std::vector<std::string>& objects) {
    kubectl({"create", "-f", "-"}, list_of(objects));
  }
  std::string kubectl(const std::vector<std::string>& arguments, std::string_view input = "") {
    auto done = cluster_->kubectl(arguments, input);
    EXPECT_TRUE(done) << done.error().text();
    return done ? *std::move(done) : std::string();
  }
  json get(std::string_view kinds) {
    return json::parse(kubectl({"get", std::string(kinds), "-A", "-o", "json"}))["items"];
  }
  // Which claims there are by now; some go later, and volumes still name them.
  void note_claims() {
    for (const json& item : get("pvc")) {
      claims_[item["metadata"]["uid"]] = item["metadata"]["name"];
    }
  }
  const std::map<std::string, std::string>& claims_by_uid() const { return claims_; }
  std::string uid_of(const std::string& claim) {
    return kubectl({"get", "pvc", claim, "-o", "jsonpath={.metadata.uid}"});
  }
  void pause(rt::Duration duration) {
    run_until(runtime_, [] { return false; }, duration);
  }
  // Until everything that is named has its phase.
  void wait_for(const std::map<std::string, std::string>& phases) {
    std::map<std::string, std::string> seen;
    const rt::Time end = runtime_.now() + minutes(1);
    while (runtime_.now() < end) {
      seen.clear();
      for (const json& item : get("pv,pvc")) {
        const std::string name = item["metadata"]["name"];
        if (phases.contains(name)) {
          seen[name] = item["status"].value("phase", "");
        }
      }
      if (seen == phases) {
        break;
      }
      pause(std::chrono::milliseconds(500));
    }
    EXPECT_EQ(seen, phases);
  }

 private:
  std::unique_ptr<RealCluster> cluster_;
  rt::RealRuntime runtime_{1};
  ClusterClient client_;
  std::optional<actors::PvController> controller_;
  std::optional<actors::Provisioner> provisioner_;
  std::map<std::string, std::string> claims_;  // names by uid
  rt::Scope scope_;
};

// The story. --------------------------------------------------------------------------------------

void make_volumes(Stage& stage) {
  stage.create({R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1",)"
                R"("labels":{"kubernetes.io/hostname":"n1"}}})",
                storage_class("imm", "kubernetes.io/no-provisioner", "Immediate"),
                storage_class("wait", "kubernetes.io/no-provisioner", "WaitForFirstConsumer"),
                storage_class("ext", "example.com/x", "Immediate"),
                storage_class("aws", "kubernetes.io/aws-ebs", "Immediate"),
                storage_class("sim-imm", "fast.sim.berth.dev", "Immediate"),
                storage_class("sim-wait",
                              "sim.berth.dev/x",
                              "WaitForFirstConsumer",
                              R"(,"parameters":{"capacity":"10Gi"})")});
  stage.create(
      {volume("small", "imm", "5Gi"),
       volume("large", "imm", "9Gi"),
       volume("asked", "none", "5Gi"),
       volume("tiny", "none", "1Gi"),
       volume("given", "wait", "5Gi"),
       volume("pointed", "wait", "5Gi"),
       volume("kept", "keep", "5Gi"),
       volume("undeletable", "undeletable", "5Gi", "", "Delete"),
       volume("local",
              "local",
              "5Gi",
              R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[)"
              R"({"key":"kubernetes.io/hostname","operator":"In","values":["n1"]}]}]}})",
              "Delete",
              R"("local":{"path":"/d"})"),
       volume("vanishing", "vanishing", "5Gi"),
       volume("in-vain", "wait", "5Gi"),
       volume("block", "wait", "5Gi", R"(,"volumeMode":"Block")"),
       volume("named", "wait", "5Gi", R"(,"claimRef":{"namespace":"default","name":"c-named"})")});
  stage.wait_for({{"small", "Available"},
                  {"large", "Available"},
                  {"asked", "Available"},
                  {"given", "Available"},
                  {"local", "Available"},
                  {"named", "Available"},
                  {"block", "Available"},
                  {"in-vain", "Available"}});
}

void make_claims(Stage& stage) {
  stage.create({claim("c-imm", of("imm"), "3Gi"),
                claim("c-wait", of("wait"), "3Gi"),
                claim("c-named", of("wait"), "3Gi"),
                claim("c-asks", of("none") + R"(,"volumeName":"asked")", "3Gi"),
                claim("c-mismatch", of("none") + R"(,"volumeName":"tiny")", "3Gi"),
                claim("c-taken", of("wait") + R"(,"volumeName":"named")", "3Gi"),
                claim("c-early", of("none") + R"(,"volumeName":"unmade")", "3Gi"),
                claim("c-pointed", of("wait"), "3Gi"),
                claim("c-block", of("wait"), "3Gi"),
                claim("c-ext", of("ext"), "3Gi"),
                claim("c-aws", of("aws"), "3Gi"),
                claim("c-empty", of("unserved"), "3Gi"),
                claim("c-none", of(""), "3Gi"),
                claim("c-late", "", "3Gi"),
                claim("c-keep", of("keep"), "3Gi"),
                claim("c-undeletable", of("undeletable"), "3Gi"),
                claim("c-local", of("local"), "3Gi"),
                claim("c-lost", of("vanishing"), "3Gi"),
                claim("c-sim", of("sim-imm"), "3Gi"),
                claim("c-sim-wait",
                      of("sim-wait"),
                      "3Gi",
                      R"(,"annotations":{"volume.kubernetes.io/selected-node":"n1"})"),
                claim("c-sim-full",
                      of("sim-wait"),
                      "30Gi",
                      R"(,"annotations":{"volume.kubernetes.io/selected-node":"n1"})")});
  stage.wait_for({{"c-imm", "Bound"},
                  {"c-named", "Bound"},
                  {"c-asks", "Bound"},
                  {"c-mismatch", "Pending"},
                  {"c-keep", "Bound"},
                  {"c-undeletable", "Bound"},
                  {"c-local", "Bound"},
                  {"c-lost", "Bound"},
                  {"c-sim", "Bound"},
                  {"c-sim-wait", "Bound"}});
}

// What a scheduler writes.
void point(Stage& stage, const std::string& volume, const std::string& claim) {
  stage.kubectl(
      {"patch",
       "pv",
       volume,
       "--type=merge",
       "-p",
       fmt::format(
           R"({{"metadata":{{"annotations":{{"pv.kubernetes.io/bound-by-controller":"yes"}}}},)"
           R"("spec":{{"claimRef":{{"apiVersion":"v1","kind":"PersistentVolumeClaim",)"
           R"("namespace":"default","name":"{}","uid":"{}"}}}}}})",
           claim,
           stage.uid_of(claim))});
}

void change_things(Stage& stage) {
  point(stage, "pointed", "c-pointed");
  point(stage, "block", "c-block");
  stage.wait_for({{"pointed", "Bound"}, {"c-pointed", "Bound"}});
  point(stage, "in-vain", "c-pointed");
  stage.kubectl({"delete", "pvc", "c-keep", "c-undeletable", "c-local", "c-sim"});
  stage.kubectl({"delete", "pv", "vanishing"});
  stage.create({R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{)"
                R"("name":"late","annotations":{)"
                R"("storageclass.kubernetes.io/is-default-class":"true"}},)"
                R"("provisioner":"example.com/x","volumeBindingMode":"Immediate"})"});
  stage.wait_for({{"kept", "Released"},
                  {"undeletable", "Released"},
                  {"local", "Failed"},
                  {"c-lost", "Lost"},
                  {"in-vain", "Available"},
                  {"c-wait", "Pending"}});
  stage.pause(seconds(20));  // a whole round of whoever looks again now and then
}

// The end. ----------------------------------------------------------------------------------------

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
}

// Every claim, volume and event by name, without times and versions, and with uids replaced by
// whose they are.
std::map<std::string, std::string> end_of(Stage& stage) {
  json objects = stage.get("pv,pvc");
  std::vector<std::string> texts;
  for (json& object : objects) {
    json& metadata = object["metadata"];
    for (const char* name : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
      metadata.erase(name);
    }
    object["status"].erase("lastPhaseTransitionTime");
    if (object["spec"].contains("claimRef")) {
      object["spec"]["claimRef"].erase("resourceVersion");
    }
    texts.push_back(object.dump(1));
  }
  for (const json& event : stage.get("events")) {
    if (event["source"].value("component", "") == "persistentvolume-controller") {
      const json said = {{"kind", "Event"},
                         {"metadata",
                          {{"name",
                            event["involvedObject"]["name"].get<std::string>() + " " +
                                event["reason"].get<std::string>()}}},
                         {"type", event["type"]},
                         {"message", event["message"]}};
      texts.push_back(said.dump(1));
    }
  }
  std::map<std::string, std::string> end;
  for (std::string& text : texts) {
    for (const auto& [uid, name] : stage.claims_by_uid()) {
      replace_all(text, uid, "uid-of-" + name);
    }
    const json object = json::parse(text);
    end[object["kind"].get<std::string>() + " " + object["metadata"]["name"].get<std::string>()] =
        text;
  }
  return end;
}

Result<std::map<std::string, std::string>> play(Controller controller) {
  RealCluster::Options options;
  options.controllers =
      controller == Controller::kTheirs ? "persistentvolume-binder-controller" : "";
  // Without it nothing holds on to deleted objects, and nobody has to let go of them.
  options.server_arguments = {
      "--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection"};
  BERTH_TRY(std::unique_ptr<RealCluster> cluster, RealCluster::start(options));
  Stage stage(std::move(cluster), controller);
  make_volumes(stage);
  make_claims(stage);
  stage.note_claims();
  change_things(stage);
  return end_of(stage);
}

TEST(RealActors, OurPvControllerEndsWhereTheRealOneDoes) {
  const auto theirs = play(Controller::kTheirs);
  if (!theirs && theirs.error().code() == ErrorCode::kNotFound) {
    GTEST_SKIP() << theirs.error().text();
  }
  ASSERT_TRUE(theirs) << theirs.error().text();
  const auto ours = play(Controller::kOurs);
  ASSERT_TRUE(ours) << ours.error().text();
  EXPECT_GT(theirs->size(), 40U);
  for (const auto& [name, text] : *theirs) {
    const auto found = ours->find(name);
    EXPECT_EQ(found == ours->end() ? "nothing" : found->second, text) << name;
  }
  for (const auto& [name, text] : *ours) {
    EXPECT_TRUE(theirs->contains(name)) << name << text;
  }
}

}  // namespace
}  // namespace berth::tests
