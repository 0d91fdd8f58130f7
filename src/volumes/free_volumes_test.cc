// What a place says of all its free volumes, and when it has to be entered. All volumes here are
// reached from n1 only: one place.
#include "volumes/free_volumes.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "volumes/names.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::ClaimBuilder;
using testing::Place;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::Texts;
using testing::texts;
using testing::VolumeBuilder;

ClaimBuilder shared_claim() {
  return pvc("c").of("wait").size("2G").modes({"ReadWriteMany"});
}
VolumeBuilder volume(std::string_view name) {
  return pv(name).of("wait").on("n1");
}
VolumeBuilder shared_volume(std::string_view name) {
  return volume(name).modes({"ReadWriteOnce", "ReadWriteMany"});
}

class OnePlace : public Place {
 public:
  explicit OnePlace(std::initializer_list<VolumeBuilder> volumes) {
    add(shared_claim());
    for (const VolumeBuilder& one : volumes) {
      add(one);
    }
  }
  Texts said() const { return reasons(pod("a").claim("c"), "n1"); }
};

TEST(FreeVolumes, ModesThatOnlySomeOfferAreLookedForOneByOne) {
  EXPECT_EQ(OnePlace({volume("p").size("2G"), shared_volume("q").size("2G")}).said(), Texts());
}

TEST(FreeVolumes, LargeOneWithoutTheModeDoesNotLendItsSizeToASmallOneWithIt) {
  EXPECT_EQ(OnePlace({volume("p").size("9G"), shared_volume("q").size("1G")}).said(),
            texts(kBindConflict));
}

TEST(FreeVolumes, PlaceForgetsTheModesOfAVolumeThatWent) {
  OnePlace place({shared_volume("p").size("2G"), volume("q").size("9G")});
  place.catalog.remove_volume("p");
  EXPECT_EQ(place.said(), texts(kBindConflict));
}

TEST(FreeVolumes, PlaceForgetsTheSizeOfAVolumeThatWasTaken) {
  OnePlace place({shared_volume("p").size("1G"), shared_volume("q").size("9G")});
  place.add(shared_volume("q").size("9G").version("2").names("other", "uid").phase("Bound"));
  EXPECT_EQ(place.said(), texts(kBindConflict));
}

TEST(FreeVolumes, ModesOfAVolumeThatChangedAreCountedOnce) {
  OnePlace place({volume("p").size("2G")});
  place.add(shared_volume("p").size("2G").version("2"));
  place.add(volume("p").size("2G").version("3"));
  place.add(shared_volume("p").size("2G").version("4"), volume("q").size("9G"));
  place.catalog.remove_volume("p");
  EXPECT_EQ(place.said(), texts(kBindConflict));
}

TEST(FreeVolumes, ModeNamedTwiceIsOneMode) {
  OnePlace place({volume("p").size("2G").modes({"ReadWriteMany", "ReadWriteMany"})});
  place.add(volume("q").size("9G"));
  place.catalog.remove_volume("p");
  EXPECT_EQ(place.said(), texts(kBindConflict));
}

TEST(FreeVolumes, UnknownModeIsComparedByName) {
  OnePlace place({volume("p").size("2G").modes({"ReadWriteSometimes"})});
  place.add(shared_claim().version("2").modes({"ReadWriteSometimes"}));
  EXPECT_EQ(place.said(), Texts());
  place.add(shared_claim().version("3").modes({"ReadWriteNever"}));
  EXPECT_EQ(place.said(), texts(kBindConflict));
}

}  // namespace
}  // namespace berth::volumes
