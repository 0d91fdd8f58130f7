#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"

namespace berth::vector_check {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(VectorCheckOptions, AllSwitchesAreOnUnlessStrict) {
  const auto usual = parse_options({"a.gz", "b.gz"});
  ASSERT_TRUE(usual.has_value());
  EXPECT_TRUE(usual->switches.undo);
  EXPECT_THAT(usual->files, ElementsAre("a.gz", "b.gz"));
  const auto strict = parse_options({"--strict-upstream", "a.gz"});
  ASSERT_TRUE(strict.has_value());
  EXPECT_FALSE(strict->switches.undo);
  EXPECT_FALSE(strict->switches.wait_for_phase);
}

TEST(VectorCheckOptions, SingleSwitchesAreSetLastWhereverTheyStand) {
  const auto options = parse_options(
      {"--switch", "undo=on", "--switch", "verify-uids=on", "--strict-upstream", "a.gz"});
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->switches.undo);
  EXPECT_TRUE(options->switches.verify_uids);
  EXPECT_FALSE(options->switches.full_matching);
  EXPECT_FALSE(parse_options({"--switch", "undo=off", "a.gz"})->switches.undo);
}

TEST(VectorCheckOptions, WrongSwitchesAreRefused) {
  EXPECT_THAT(parse_options({"--switch", "speed=on", "a.gz"}).error().text(),
              HasSubstr("unknown switch speed; there are undo "));
  EXPECT_THAT(parse_options({"--switch", "undo", "a.gz"}).error().text(), HasSubstr("on or off"));
  EXPECT_THAT(parse_options({"--switch", "undo=1", "a.gz"}).error().text(), HasSubstr("on or off"));
  EXPECT_THAT(parse_options({"a.gz", "--switch"}).error().text(), HasSubstr("NAME=on"));
}

TEST(VectorCheckOptions, ReportBySwitchSetsSwitchesItself) {
  EXPECT_TRUE(parse_options({"--by-switch", "a.gz"})->by_switch);
  EXPECT_FALSE(parse_options({"--by-switch", "--strict-upstream", "a.gz"}));
  EXPECT_FALSE(parse_options({"--by-switch", "--switch", "undo=off", "a.gz"}));
}

}  // namespace

}  // namespace berth::vector_check
