#include "base/hash_map.h"

#include <gtest/gtest.h>

#include <boost/container_hash/hash.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace berth {
namespace {

using namespace std::string_view_literals;

// A key as another part of the project would write it.
struct Place {
  std::string zone;
  std::uint32_t rack = 0;

  bool operator==(const Place&) const = default;
};

std::size_t hash_value(const Place& place) {
  std::size_t seed = TextHash{}(place.zone);
  boost::hash_combine(seed, place.rack);
  return seed;
}

TEST(HashMap, FindsStringKeysByView) {
  HashMap<std::string, int> ports;
  ports.emplace("https", 443);
  ports["http"] = 80;

  EXPECT_EQ(ports.find("https"sv)->second, 443);
  EXPECT_TRUE(ports.contains("http"sv));
  EXPECT_FALSE(ports.contains("ftp"sv));
  EXPECT_EQ(ports.erase("http"sv), 1U);
  EXPECT_FALSE(ports.contains("http"sv));
}

TEST(HashMap, FindsAViewThatIsNotTerminated) {
  const HashMap<std::string, int> ports = {{"http", 80}};
  EXPECT_TRUE(ports.contains("https"sv.substr(0, 4)));
}

TEST(HashMap, HoldsValuesThatOnlyMove) {
  HashMap<std::uint64_t, std::unique_ptr<int>> owned;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    owned.emplace(key, std::make_unique<int>(static_cast<int>(key)));
  }
  ASSERT_EQ(owned.size(), 1000U);
  EXPECT_EQ(*owned.at(999), 999);
}

TEST(HashMap, TakesKeyTypesThatProvideHashValue) {
  HashMap<Place, int> nodes;
  nodes[Place{"a", 1}] = 10;
  nodes[Place{"a", 2}] = 20;
  EXPECT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes.at(Place{"a", 2}), 20);
}

TEST(HashSet, FindsStringKeysByView) {
  HashSet<std::string> zones = {"a", "b"};
  EXPECT_TRUE(zones.contains("a"sv));
  EXPECT_FALSE(zones.contains("c"sv));
  EXPECT_FALSE(zones.insert("a").second);
}

TEST(HashSet, HoldsPairs) {
  HashSet<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.emplace(1, 2);
  EXPECT_TRUE(edges.contains({1, 2}));
  EXPECT_FALSE(edges.contains({2, 1}));
}

}  // namespace
}  // namespace berth
