// Room for several claims in several pools of one node.
#include "volumes/room_search.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "volumes/answer.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

using testing::driver;
using testing::pod;
using testing::pool;
using testing::pvc;
using testing::texts;

class RoomInPools : public ::testing::Test {
 protected:
  RoomInPools() { place.add(driver(testing::kProvisioner).tracks_capacity()); }

  void add_pool(const std::string& name, const std::string& size) {
    place.add(pool(name).of("wait-prov").size(size).on("n1"));
  }
  void add_claim(const std::string& name, const std::string& size) {
    place.add(pvc(name).of("wait-prov").size(size));
  }
  // Which pool each claim would get, in the order of the plan; empty when the node does not fit.
  std::vector<std::string> pools_for(const api::Pod& of) const {
    std::vector<std::string> pools;
    for (const Provision& provision : place.look(of, "n1").plan.provisions) {
      pools.push_back(provision.claim->metadata.name + " in " +
                      (provision.capacity ? provision.capacity->metadata.name : "none"));
    }
    return pools;
  }

  testing::Place place;
};

TEST_F(RoomInPools, ASmallClaimLeavesTheLargePoolToALargeOne) {
  add_pool("a", "10Gi");
  add_pool("b", "5Gi");
  add_claim("small", "5Gi");
  add_claim("large", "10Gi");
  const api::Pod both = *pod("p").claim("small").claim("large");
  EXPECT_EQ(pools_for(both), texts("small in b", "large in a"));
  place.switches.full_matching = false;
  EXPECT_EQ(place.reasons(both, "n1"), texts(kNotEnoughSpace));
}

TEST_F(RoomInPools, ClaimsThatAskForTheNodeAlreadyGiveWayToo) {
  add_pool("a", "10Gi");
  add_pool("b", "5Gi");
  place.add(pvc("small").of("wait-prov").size("5Gi").selected("n1"));
  add_claim("large", "10Gi");
  EXPECT_EQ(pools_for(*pod("p").claim("small").claim("large")), texts("small in b", "large in a"));
}

TEST_F(RoomInPools, TheFirstPoolIsTakenWhereThatIsEnough) {
  add_pool("a", "10Gi");
  add_pool("b", "10Gi");
  add_claim("one", "4Gi");
  add_claim("two", "5Gi");
  EXPECT_EQ(pools_for(*pod("p").claim("one").claim("two")), texts("one in a", "two in a"));
}

TEST_F(RoomInPools, RoomThatAClaimHasAlreadyIsNotCountedTwice) {
  add_pool("a", "10Gi");
  add_claim("shared", "6Gi");
  add_claim("own", "4Gi");
  Ledger ledger(place.catalog, place.switches);
  const api::Pod first = *pod("x").claim("shared");
  ASSERT_TRUE(ledger.assume(first, "n1", place.look(first, "n1").plan));
  EXPECT_EQ(pools_for(*pod("p").claim("shared").claim("own")), texts("shared in a", "own in a"));
  add_claim("too-large", "5Gi");
  EXPECT_EQ(place.reasons(*pod("p").claim("shared").claim("too-large"), "n1"),
            texts(kNotEnoughSpace));
}

TEST_F(RoomInPools, ALargestVolumeIsRespected) {
  place.add(pool("a").of("wait-prov").size("20Gi").largest("5Gi").on("n1"));
  add_pool("b", "12Gi");
  add_claim("small", "5Gi");
  add_claim("large", "12Gi");
  EXPECT_EQ(pools_for(*pod("p").claim("small").claim("large")), texts("small in a", "large in b"));
}

// More claims than pools, each pool with room for one: whatever is tried, one is left over.
TEST_F(RoomInPools, ALimitIsSetToHowMuchIsTried) {
  constexpr std::size_t kCount = 12;
  for (std::size_t i = 0; i < kCount; ++i) {
    add_pool("pool-" + std::to_string(i), std::to_string(90 + i) + "Gi");
  }
  for (std::size_t i = 0; i <= kCount; ++i) {
    add_claim("claim-" + std::to_string(i), std::to_string(55 + i) + "Gi");
  }
  const View view = place.catalog.view();
  std::vector<const CapacityEntry*> pools;
  for (const auto& [key, entry] : *view.find_capacities("wait-prov")) {
    pools.push_back(&entry);
  }
  std::vector<const ClaimEntry*> claims;
  for (const auto& [key, entry] : view.claims()) {
    claims.push_back(entry.get());
  }
  RoomSearch hopeless(claims, pools, place.switches);
  EXPECT_FALSE(hopeless.find());
  EXPECT_TRUE(hopeless.has_given_up());
  claims.pop_back();
  RoomSearch possible(claims, pools, place.switches);
  EXPECT_TRUE(possible.find());
  EXPECT_FALSE(possible.has_given_up());
}

}  // namespace
}  // namespace berth::volumes
