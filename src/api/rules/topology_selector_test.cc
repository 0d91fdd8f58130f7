#include "api/rules/topology_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "api/objects/affinity.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "base/node_set.h"

namespace berth::api {
namespace {

using testing::ElementsAre;

using Terms = std::vector<TopologySelectorTerm>;

bool matches(const Terms& terms) {
  return CompiledTopologies::compile(terms).matches({{"zone", "b"}, {"rack", "1"}});
}

TEST(AllowedTopologies, NoTermsAllowEveryNode) {
  EXPECT_TRUE(matches({}));
}

TEST(AllowedTopologies, OneTermMustMatchWithAllItsRequirements) {
  EXPECT_TRUE(matches({{{{"zone", {"a"}}}}, {{{"zone", {"a", "b"}}, {"rack", {"1"}}}}}));
  EXPECT_FALSE(matches({{{{"zone", {"a", "b"}}, {"rack", {"2"}}}}}));
  EXPECT_FALSE(matches({{{{"absent", {""}}}}}));
}

TEST(AllowedTopologies, EmptyAndFaultyTermsMatchNothing) {
  EXPECT_FALSE(matches({{}}));
  EXPECT_FALSE(matches({{{{"zone", {}}}}}));
  EXPECT_FALSE(matches({{{{"zone", {"b", "-"}}}}}));
  EXPECT_FALSE(matches({{{{"zone", {"b"}}, {"a b", {"x"}}}}}));
  EXPECT_TRUE(matches({{{{"zone", {}}}}, {{{"zone", {"b"}}}}}));
}

TEST(AllowedTopologies, NarrowNodesToThoseTheyMatch) {
  NodeLabelIndex index(4);
  index.set(0, "n0", {{"zone", "a"}});
  index.set(1, "n1", {{"zone", "b"}});
  index.set(2, "n2", {});
  NodeScratch scratch;
  const auto narrowed = [&](const Terms& terms) {
    NodeSet nodes = NodeSet::full(4);
    CompiledTopologies::compile(terms).narrow(index, nodes, scratch);
    std::vector<std::size_t> numbers;
    nodes.for_each([&](std::size_t node) { numbers.push_back(node); });
    return numbers;
  };
  EXPECT_THAT(narrowed({}), ElementsAre(0, 1, 2));
  EXPECT_THAT(narrowed({{}}), ElementsAre());
  EXPECT_THAT(narrowed({{{{"zone", {"b"}}}}, {{{"zone", {"c"}}}}}), ElementsAre(1));
}

}  // namespace
}  // namespace berth::api
