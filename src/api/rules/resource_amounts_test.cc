#include "api/rules/resource_amounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

#include "api/members.h"
#include "api/quantity.h"

namespace berth::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

ResourceAmounts amounts(std::initializer_list<std::pair<const char*, const char*>> texts) {
  ResourceList list;
  for (const auto& [name, text] : texts) {
    const auto quantity = Quantity::parse(text);
    EXPECT_TRUE(quantity) << text;
    list.emplace(name, *quantity);
  }
  return ResourceAmounts::of(list);
}

TEST(ResourceAmounts, QuantitiesAreRoundedUpToTheUnitOfTheirResource) {
  const ResourceAmounts result = amounts({{"cpu", "1500100u"},
                                          {"memory", "1.5"},
                                          {"ephemeral-storage", "1Gi"},
                                          {"pods", "110"},
                                          {"hugepages-2Mi", "4Mi"},
                                          {"example.com/gpu", "2"}});
  EXPECT_EQ(result.milli_cpu, 1501);
  EXPECT_EQ(result.memory_bytes, 2);
  EXPECT_EQ(result.ephemeral_storage_bytes, 1 << 30);
  EXPECT_EQ(result.pods, 110);
  EXPECT_THAT(result.scalars,
              ElementsAre(Pair("example.com/gpu", 2), Pair("hugepages-2Mi", 4 << 20)));
}

TEST(ResourceAmounts, AmountsBeyond64BitsBecomeTheEndOfTheRange) {
  EXPECT_EQ(amounts({{"cpu", "9E"}}).milli_cpu, kMax);
  EXPECT_EQ(amounts({{"memory", "1e30"}}).memory_bytes, kMax);
}

TEST(ResourceAmounts, UnknownNamesAndZeroesAreLeftOut) {
  EXPECT_EQ(amounts({{"storage", "1Gi"}, {"x", "1"}, {"example.com/gpu", "0"}}), ResourceAmounts());
}

TEST(ResourceAmounts, SubtractingUndoesAdding) {
  const ResourceAmounts node = amounts({{"cpu", "1"}, {"example.com/gpu", "1"}});
  const ResourceAmounts pod = amounts(
      {{"cpu", "2"}, {"memory", "1Gi"}, {"example.com/gpu", "1"}, {"example.com/nic", "3"}});
  ResourceAmounts used = node;
  ASSERT_TRUE(used.add(pod));
  EXPECT_EQ(used.milli_cpu, 3000);
  EXPECT_THAT(used.scalars, ElementsAre(Pair("example.com/gpu", 2), Pair("example.com/nic", 3)));
  ASSERT_TRUE(used.subtract(pod));
  EXPECT_EQ(used, node);
  ASSERT_TRUE(used.subtract(node));
  EXPECT_THAT(used.scalars, IsEmpty());
}

TEST(ResourceAmounts, SumThatDoesNotFitIsRefusedAndChangesNothing) {
  for (const char* resource : {"cpu", "memory", "ephemeral-storage", "pods", "example.com/gpu"}) {
    ResourceAmounts used = amounts({{resource, "9223372036854775807"}, {"example.com/a", "1"}});
    const ResourceAmounts before = used;
    const ResourceAmounts more = amounts({{resource, "1"}, {"cpu", "1"}, {"example.com/a", "1"}});
    EXPECT_FALSE(used.add(more)) << resource;
    EXPECT_EQ(used, before) << resource;
  }
  ResourceAmounts none;
  ASSERT_TRUE(none.subtract(amounts({{"memory", "9223372036854775807"}})));
  EXPECT_FALSE(none.subtract(amounts({{"memory", "2"}})));
  EXPECT_EQ(none.memory_bytes, -kMax);
}

TEST(ScalarResources, AreExtendedOrOfKnownFamilies) {
  for (const char* name : {"example.com/gpu",
                           "nvidia.com/mig-1g.5gb",
                           "hugepages-1Gi",
                           "attachable-volumes-csi-x",
                           "kubernetes.io/batch-cpu"}) {
    EXPECT_TRUE(is_scalar_resource(name)) << name;
  }
  for (const char* name : {"cpu",
                           "storage",
                           "requests.example.com/gpu",
                           "example.com/",
                           "/gpu",
                           "Example.com/gpu",
                           "a/b/c",
                           ""}) {
    EXPECT_FALSE(is_scalar_resource(name)) << name;
  }
}

}  // namespace
}  // namespace berth::api
