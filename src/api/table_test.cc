#include "api/table.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "api/kinds.h"
#include "api/objects/pod.h"

namespace berth::api {
namespace {

TEST(Table, FindsALineByItsNumber) {
  const Field* line = PodSpec::table().find(10);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->json_name, "nodeName");
  EXPECT_EQ(PodSpec::table().find(9999), nullptr);
}

TEST(Table, ReachesTheMember) {
  PodSpec spec;
  spec.node_name = "node-1";
  const Field* line = PodSpec::table().find(10);
  EXPECT_EQ(*static_cast<const std::string*>(line->in(&std::as_const(spec))), "node-1");
}

TEST(Table, CarriesTheMergeRules) {
  const Field& containers = *PodSpec::table().find(2);
  EXPECT_EQ(containers.patch_strategy, PatchStrategy::kMerge);
  EXPECT_EQ(containers.merge_key, "name");
  EXPECT_EQ(PodSpec::table().find(1)->patch_strategy, PatchStrategy::kMergeRetain);
  EXPECT_EQ(PodSpec::table().find(22)->patch_strategy, PatchStrategy::kDefault);
}

TEST(TableDeathTest, RefusesANumberThatStandsTwice) {
  EXPECT_DEATH(Table({field("a", 1, &PodSpec::node_name), field("b", 1, &PodSpec::scheduler_name)}),
               "one line");
}

TEST(Kinds, AreFoundByWhatObjectsSayTheyAre) {
  const KindEntry* pod = find_kind("v1", "Pod");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->kind->plural, "pods");
  EXPECT_NE(find_kind("scheduling.run.ai/v1alpha2", "BindRequest"), nullptr);
  EXPECT_EQ(find_kind("v2", "Pod"), nullptr);
  EXPECT_EQ(find_kind("v1", "Deployment"), nullptr);
}

TEST(Kinds, StandOnceInTheList) {
  std::set<std::string> names;
  for (const KindEntry& entry : all_kinds()) {
    EXPECT_TRUE(
        names.insert(entry.kind->api_version() + " " + std::string(entry.kind->name)).second);
  }
}

}  // namespace
}  // namespace berth::api
