// Rows L of the catalogue: how well a plan suits a node.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/score.h"
#include "volumes/search.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::driver;
using testing::node;
using testing::Place;
using testing::pod;
using testing::PodBuilder;
using testing::pool;
using testing::pv;
using testing::pvc;
using testing::storage_class;

struct Use {
  std::string_view requested;
  std::string_view capacity;
};

// Static bindings, each of a class of its own.
NodePlan using_classes(std::initializer_list<Use> uses) {
  NodePlan plan;
  for (const Use& use : uses) {
    const std::string name = "class-" + std::to_string(plan.bindings.size());
    plan.bindings.push_back({.volume = pv("p").of(name).size(use.capacity),
                             .claim = pvc("c").of(name).size(use.requested)});
  }
  return plan;
}

std::int64_t score_of(std::initializer_list<Use> uses, const Shape& shape = default_shape()) {
  return score(using_classes(uses), shape);
}

// Of a node for a pod.
std::int64_t score_on(const Place& place,
                      const PodBuilder& asking,
                      std::string_view node_name,
                      const Shape& shape = default_shape()) {
  return score(place.look(asking, node_name).plan, shape);
}

TEST(CatalogueL, L01_DefaultShapeOneClass) {
  EXPECT_EQ(score_of({{"0", "100"}}), 100);
  EXPECT_EQ(score_of({{"30", "100"}}), 70);
  EXPECT_EQ(score_of({{"50", "100"}}), 50);
  EXPECT_EQ(score_of({{"100", "100"}}), 0);
}

TEST(CatalogueL, L02_DefaultShapeTwoClasses) {
  EXPECT_EQ(score_of({{"0", "100"}, {"30", "100"}}), 85);
  EXPECT_EQ(score_of({{"30", "100"}, {"60", "100"}}), 55);
  EXPECT_EQ(score_of({{"50", "100"}, {"100", "100"}}), 25);
  EXPECT_EQ(score_of({{"100", "100"}, {"100", "100"}}), 0);
}

TEST(CatalogueL, L03_ShapeOfThreePoints) {
  const Shape shape{{50, 0}, {80, 3}, {100, 5}};
  EXPECT_EQ(score_of({{"30", "100"}, {"60", "100"}}, shape), 5);
  EXPECT_EQ(score_of({{"50", "100"}, {"100", "100"}}, shape), 25);
  EXPECT_EQ(score_of({{"90", "100"}, {"90", "100"}}, shape), 40);
}

TEST(CatalogueL, L04_NoCapacityOrMoreRequestedIsAsIfAllWereUsed) {
  const Shape shape{{0, 0}, {100, 7}};
  EXPECT_EQ(score_of({{"0", "0"}}, shape), 70);
  EXPECT_EQ(score_of({{"200", "100"}}, shape), 70);
}

TEST(CatalogueL, L05_LargerVolumeLeavesMoreFree) {
  Place place;
  place.add(pvc("c").of("wait").size("50Gi"));
  place.add(pv("p").of("wait").size("200Gi").on("n1"), pv("q").of("wait").size("100Gi").on("n2"));
  place.add(node("n3"));
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n1"), 75);
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n2"), 50);
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n3"), 0);
}

TEST(CatalogueL, L06_ClassesWeighTheSame) {
  EXPECT_EQ(score_of({{"50Gi", "200Gi"}, {"100Gi", "200Gi"}}), 63);
  EXPECT_EQ(score_of({{"50Gi", "100Gi"}, {"100Gi", "100Gi"}}), 25);
}

TEST(CatalogueL, L07_NodesOfAZoneScoreAlike) {
  Place place;
  place.add(node("n1").version("2").label(kZone, "a"), node("n2").version("2").label(kZone, "a"));
  place.add(node("n3").label(kZone, "b"), pvc("c").of("wait").size("50Gi"));
  place.add(pv("p").of("wait").size("200Gi").where(kZone, "In", {"a"}),
            pv("q").of("wait").size("100Gi").where(kZone, "In", {"b"}));
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n1"), 75);
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n2"), 75);
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n3"), 50);
}

TEST(CatalogueL, L08_AnotherShape) {
  const Shape shape{{0, 0}, {50, 3}, {100, 5}};
  EXPECT_EQ(score_of({{"50Gi", "200Gi"}}, shape), 15);
  EXPECT_EQ(score_of({{"50Gi", "100Gi"}}, shape), 30);
}

// A driver that tracks capacity, with a pool of each size on a node of its own: n1, n2, ...
class Pools : public Place {
 public:
  explicit Pools(std::initializer_list<std::string_view> sizes) {
    add(driver(testing::kProvisioner).tracks_capacity(), pvc("c").of("wait-prov").size("10Gi"));
    int number = 0;
    for (const std::string_view size : sizes) {
      const std::string name = "n" + std::to_string(++number);
      add(node(name), pool("on-" + name).of("wait-prov").size(size).on(name));
    }
  }
  std::int64_t score_on(std::string_view node_name, const Shape& shape = default_shape()) const {
    return volumes::score_on(*this, pod("a").claim("c"), node_name, shape);
  }
};

TEST(CatalogueL, L09_LargerPoolLeavesMoreFree) {
  const Pools place({"100Gi", "50Gi", "10Gi"});
  EXPECT_EQ(place.score_on("n1"), 90);
  EXPECT_EQ(place.score_on("n2"), 80);
  EXPECT_EQ(place.score_on("n3"), 0);
}

TEST(CatalogueL, L10_StaticBindingsHideProvisions) {
  Pools place({"100Gi"});
  place.add(pvc("d").of("wait").size("50Gi"), pv("p").of("wait").size("100Gi").on("n1"));
  EXPECT_EQ(score_on(place, pod("a").claim("c").claim("d"), "n1"), 50);
}

TEST(CatalogueL, L11_TwoClaimsDoNotDoubleAPool) {
  Pools place({"100Gi"});
  place.add(pvc("d").of("wait-prov").size("50Gi"), pvc("e").of("wait-prov").size("50Gi"));
  EXPECT_EQ(score_on(place, pod("a").claim("d").claim("e"), "n1"), 0);
}

TEST(CatalogueL, L12_ShapeThatPacks) {
  const Pools place({"100Gi", "20Gi", "10Gi"});
  const Shape packing{{0, 0}, {100, 10}};
  EXPECT_EQ(place.score_on("n1", packing), 10);
  EXPECT_EQ(place.score_on("n2", packing), 50);
  EXPECT_EQ(place.score_on("n3", packing), 100);
}

TEST(CatalogueL, L14_PodWithoutClaimsScoresZero) {
  EXPECT_EQ(score(NodePlan(), default_shape()), 0);
}

TEST(CatalogueL, L15_DriverThatDoesNotTrackCapacityScoresZero) {
  Pools place({"100Gi"});
  place.add(driver(testing::kProvisioner).version("2").tracks_capacity(false));
  EXPECT_EQ(place.score_on("n1"), 0);
}

TEST(CatalogueL, L16_PoolThatSaysOnlyItsMaximumIsNoInformation) {
  Place place;
  place.add(driver(testing::kProvisioner).tracks_capacity());
  place.add(pvc("c").of("wait-prov").size("10Gi"), pool("p").of("wait-prov").largest("100Gi"));
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n1"), 0);
}

TEST(CatalogueL, L17_ClassByTheOldAnnotationIsAClass) {
  Pools place({"100Gi"});
  place.add(pvc("d").note(kBetaStorageClass, "wait-prov").size("10Gi"));
  EXPECT_EQ(score_on(place, pod("a").claim("d"), "n1"), 90);
}

TEST(CatalogueL, L18_BoundClaimsScoreZero) {
  Place place;
  place.add(pvc("c").of("wait").bound_to("p"), pv("p").of("wait").names("c", "claim-c"));
  EXPECT_EQ(score_on(place, pod("a").claim("c"), "n1"), 0);
}

TEST(CatalogueL, L19_ShapesThatAreRefused) {
  for (const Shape& shape : {Shape{}, Shape{{50, 1}, {20, 1}}, Shape{{0, 11}}, Shape{{101, 1}}}) {
    EXPECT_FALSE(check_shape(shape));
  }
  EXPECT_TRUE(check_shape(default_shape()));
}

}  // namespace
}  // namespace berth::volumes
