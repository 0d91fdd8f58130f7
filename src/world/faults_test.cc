#include "world/faults.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.h"
#include "rt/random.h"

namespace berth::world {
namespace {

FaultSet only(std::string_view list) {
  return *FaultSet::parse(list);
}

TEST(Faults, DrawsOnlyPhasesInWhichTheFaultCanHit) {
  for (std::size_t i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (!can_hit(fault, Phase::kBefore) && !can_hit(fault, Phase::kDuring) &&
        !can_hit(fault, Phase::kAfter)) {
      continue;
    }
    Faults faults(rt::Random(1), FaultSet::all());
    std::set<Phase> drawn;
    for (int draw = 0; draw < 5000; ++draw) {
      if (const auto phase = faults.draw(fault, WriteKind::kPatch)) {
        drawn.insert(*phase);
      }
    }
    for (const Phase phase : {Phase::kBefore, Phase::kDuring, Phase::kAfter}) {
      EXPECT_EQ(drawn.contains(phase), can_hit(fault, phase)) << name_of(fault);
    }
  }
}

TEST(Faults, AWriteThatIsMadeOnceARunIsHitMoreOften) {
  const auto hits = [](WriteKind kind) {
    Faults faults(rt::Random(1), only("crash"));
    int drawn = 0;
    for (int i = 0; i < 6000; ++i) {
      drawn += faults.draw_crash(kind) ? 1 : 0;
    }
    return drawn;
  };
  EXPECT_GT(hits(WriteKind::kLeaseCreate), 5 * hits(WriteKind::kLeasePatch));
}

TEST(Faults, WhatIsDrawnCountsOnlyWhenItHappens) {
  Faults faults(rt::Random(1), only("lost-answer"));
  while (!faults.draw(Fault::kLostAnswer, WriteKind::kPatch)) {
  }
  EXPECT_EQ(faults.counts().of(Fault::kLostAnswer), 0U);
  faults.count(Fault::kLostAnswer, WriteKind::kBinding, Phase::kAfter);
  EXPECT_EQ(faults.counts().of(Fault::kLostAnswer, WriteKind::kBinding, Phase::kAfter), 1U);
  EXPECT_EQ(faults.counts().of(Fault::kLostAnswer), 1U);
}

TEST(Faults, NothingGoesWrongThatIsNotEnabledOrAfterTheEnd) {
  Faults faults(rt::Random(1), only("conflict"));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(faults.draw(Fault::kLostAnswer, WriteKind::kPatch).has_value());
    EXPECT_FALSE(faults.hits(Fault::kCutWatch));
  }
  faults.stop();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(faults.draw(Fault::kConflict, WriteKind::kPatch).has_value());
  }
}

TEST(Faults, AnEnumeratedCrashIsTheOnlyOne) {
  Faults faults(rt::Random(1), FaultSet::all(), CrashAt{.write = 3, .phase = Phase::kAfter});
  EXPECT_FALSE(faults.draws_crashes());
  for (int write = 1; write <= 1000; ++write) {
    EXPECT_EQ(faults.draw_crash(WriteKind::kPatch),
              write == 3 ? std::optional(Phase::kAfter) : std::nullopt);
  }
  EXPECT_EQ(faults.writes(), 1000U);
}

TEST(Faults, NoWriteIsTheZerothSoThatNoneCrashes) {
  Faults faults(rt::Random(1), FaultSet::all(), CrashAt{.write = 0});
  EXPECT_FALSE(faults.draws_crashes());
  for (int write = 1; write <= 1000; ++write) {
    EXPECT_FALSE(faults.draw_crash(WriteKind::kPatch).has_value());
  }
}

TEST(Faults, CrashesAreDrawnUnlessEnumeratedDisabledOrOver) {
  Faults faults(rt::Random(1), only("crash"));
  EXPECT_TRUE(faults.draws_crashes());
  faults.stop();
  EXPECT_FALSE(faults.draws_crashes());
  EXPECT_FALSE(Faults(rt::Random(1), only("conflict")).draws_crashes());
}

TEST(CrashAt, IsReadAsItIsWritten) {
  for (const CrashAt& crash : {CrashAt{.write = 12, .phase = Phase::kDuring},
                               CrashAt{.write = 0, .phase = Phase::kBefore},
                               CrashAt{.write = ~std::uint64_t{0}, .phase = Phase::kAfter}}) {
    const auto parsed = CrashAt::parse(crash.text());
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(*parsed, crash);
  }
  EXPECT_EQ((CrashAt{.write = 12, .phase = Phase::kDuring}).text(), "12:during");
}

TEST(CrashAt, RefusesWhatIsNone) {
  for (const char* text : {"", "12", ":during", "12:", "-1:during", "12:later", "1 2:during"}) {
    const auto parsed = CrashAt::parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace berth::world
