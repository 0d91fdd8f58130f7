#include "by_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "volumes/switches.h"

namespace berth::vector_check {

namespace {

using testing::HasSubstr;
using testing::Not;
using volumes::Switches;

std::string printed(const SwitchReport& report) {
  std::ostringstream out;
  report.print(out);
  return out.str();
}

TEST(SwitchReport, RowThatOneSwitchChangesIsListedUnderIt) {
  SwitchReport report;
  EXPECT_TRUE(report.add("row-1", [](const Switches& s) { return !s.full_matching; }));
  EXPECT_THAT(printed(report), HasSubstr("agree again without full-matching: 1 row\n  row-1\n"));
  EXPECT_THAT(printed(report), HasSubstr("agree again without undo: 0 rows\n"));
}

TEST(SwitchReport, RowThatAgreesIsOnlyCounted) {
  SwitchReport report;
  EXPECT_TRUE(report.add("row-1", [](const Switches&) { return true; }));
  EXPECT_THAT(printed(report), HasSubstr("with all switches on: 1 rows agree\n"));
  EXPECT_THAT(printed(report), Not(HasSubstr("row-1")));
}

TEST(SwitchReport, RowThatSeveralSwitchesChangeIsListedUnderAllOfThem) {
  SwitchReport report;
  EXPECT_TRUE(
      report.add("row-1", [](const Switches& s) { return !s.verify_uids && !s.count_owners; }));
  EXPECT_THAT(printed(report),
              HasSubstr("agree again only without all of verify-uids, count-owners: 1 row\n"));
  EXPECT_THAT(printed(report), HasSubstr("switch verify-uids: 0 alone, 1 with others\n"));
}

TEST(SwitchReport, RowThatTakesTwoSwitchesIsListedUnderEither) {
  SwitchReport report;
  EXPECT_TRUE(
      report.add("row-1", [](const Switches& s) { return !(s.verify_uids && s.count_owners); }));
  EXPECT_THAT(printed(report),
              HasSubstr("agree again without any one of verify-uids, count-owners: 1 row\n"));
}

TEST(SwitchReport, SwitchThatMattersOnlyBesideAnotherIsNotNamed) {
  SwitchReport report;
  // verify-uids changes the row by itself, and count-owners does where undo is off.
  EXPECT_TRUE(report.add("row-1", [](const Switches& s) {
    return !s.verify_uids && !s.undo && !(s.count_owners && s.undo);
  }));
  EXPECT_THAT(printed(report),
              HasSubstr("agree again only without all of undo, verify-uids: 1 row\n"));
}

TEST(SwitchReport, RowThatNoSwitchExplainsFails) {
  SwitchReport report;
  EXPECT_FALSE(report.add("row-1", [](const Switches&) { return false; }));
  EXPECT_THAT(printed(report), HasSubstr("differ without any switch: 1 row\n  row-1\n"));
}

TEST(SwitchReport, RowThatTurningASwitchOffBreaksFails) {
  SwitchReport report;
  EXPECT_FALSE(report.add("row-1", [](const Switches& s) { return s.count_owners; }));
  EXPECT_THAT(printed(report), HasSubstr("differ only without count-owners: 1 row\n  row-1\n"));
}

}  // namespace

}  // namespace berth::vector_check
