#include "kube/config/near_names.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace berth::kube::config {
namespace {

constexpr std::array<std::string_view, 6> kKnown = {
    "certificate-authority", "certificate-authority-data", "server", "token", "exec", "as"};

TEST(NearNames, ALetterOrTwoAreASlipOfThePen) {
  EXPECT_EQ(nearest_name("certificate-authority-dat", kKnown), "certificate-authority-data");
  EXPECT_EQ(nearest_name("certificate-authorty", kKnown), "certificate-authority");
  EXPECT_EQ(nearest_name("sevrer", kKnown), "server");
  EXPECT_EQ(nearest_name("tokn", kKnown), "token");
  EXPECT_EQ(nearest_name("exce", kKnown), "exec");
}

TEST(NearNames, CapitalsAndDashesAreASlipOfThePen) {
  EXPECT_EQ(nearest_name("certificateAuthorityData", kKnown), "certificate-authority-data");
  EXPECT_EQ(nearest_name("Server", kKnown), "server");
}

TEST(NearNames, OtherWordsAreNot) {
  for (const std::string_view name :
       {"", "a", "is", "service", "namespace", "certificate", "toe"}) {
    EXPECT_EQ(nearest_name(name, kKnown), "") << name;
  }
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), kKnown), "");
}

TEST(NearNames, TheNearestWins) {
  EXPECT_EQ(nearest_name("certificate-authority-", kKnown), "certificate-authority");
}

}  // namespace
}  // namespace berth::kube::config
