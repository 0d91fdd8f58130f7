#include "cli/summary.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/kinds.h"

namespace berth::cli {
namespace {

std::string details(std::string_view api_version, std::string_view kind, std::string_view json) {
  const auto* entry = api::find_kind(api_version, kind);
  const auto object = entry->make();
  api::codec::JsonReader reader;
  const auto read = reader.read(json, {}, entry->table(), object.get(), nullptr);
  EXPECT_TRUE(read) << read.error().text();
  return summarise(*entry, object.get()).details;
}

TEST(Summary, TellsAClaimWithoutClassFromOneThatWantsTheDefault) {
  const std::string_view kind = "PersistentVolumeClaim";
  EXPECT_EQ(details("v1", kind, R"({"spec":{"storageClassName":"fast"}})"),
            "asks nothing; class fast; volume none");
  EXPECT_EQ(details("v1", kind, R"({"spec":{"storageClassName":""}})"),
            "asks nothing; class none; volume none");
  EXPECT_EQ(details("v1", kind, R"({"spec":{}})"),
            "asks nothing; class unset (cluster's default); volume none");
}

TEST(Summary, ClassWithoutABindingModeBindsImmediately) {
  const std::string_view version = "storage.k8s.io/v1";
  EXPECT_EQ(details(version, "StorageClass", R"({"provisioner":"p"})"),
            "provisioner p; binding Immediate");
  EXPECT_EQ(details(version,
                    "StorageClass",
                    R"({"provisioner":"p","volumeBindingMode":"WaitForFirstConsumer"})"),
            "provisioner p; binding WaitForFirstConsumer");
}

TEST(Summary, PodShowsWhatASchedulerCounts) {
  EXPECT_EQ(details("v1",
                    "Pod",
                    R"({"metadata":{"name":"web"},"spec":{"nodeName":"n","containers":[)"
                    R"({"resources":{"requests":{"cpu":"1"}}},)"
                    R"({"resources":{"requests":{"cpu":"500m"}}}],"volumes":[)"
                    R"({"name":"d","persistentVolumeClaim":{"claimName":"data"}},)"
                    R"({"name":"s","ephemeral":{}},{"name":"e","emptyDir":{}}]}})"),
            "requests cpu=1500m; claims data, web-s (ephemeral); node n");
}

}  // namespace
}  // namespace berth::cli
