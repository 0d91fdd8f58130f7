#include "actors/shelf.h"

#include <gtest/gtest.h>

#include "api/objects/persistent_volume.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::testing::pv;

class ShelfTest : public testing::Test {
 protected:
  ShelfTest() { shelf_.put_seen(pv("p").version("5")); }
  std::string version() const { return shelf_.objects().find("", "p")->metadata.resource_version; }

  Shelf<api::PersistentVolume> shelf_;
};

TEST_F(ShelfTest, M19_OlderStatesAreNotTaken) {
  EXPECT_EQ(shelf_.put_seen(pv("p").version("4")), Taken::kStale);
  EXPECT_EQ(version(), "5");
}

TEST_F(ShelfTest, M19_TheSameStateIsKnown) {
  EXPECT_EQ(shelf_.put_seen(pv("p").version("5")), Taken::kSame);
}

TEST_F(ShelfTest, M19_VersionsThatAreNoNumbersCannotBeCompared) {
  EXPECT_EQ(shelf_.put_seen(pv("p").version("abc")), Taken::kUnknown);
  EXPECT_EQ(version(), "5");
}

TEST_F(ShelfTest, M19_NewerStatesAreTakenHoweverLongTheirNumbers) {
  EXPECT_EQ(shelf_.put_seen(pv("p").version("10")), Taken::kNew);
  EXPECT_EQ(version(), "10");
}

TEST_F(ShelfTest, AnotherObjectOfTheNameTakesThePlaceWhateverItsVersion) {
  EXPECT_EQ(shelf_.put_seen(pv("p").uid("other").version("2")), Taken::kNew);
  EXPECT_EQ(version(), "2");
}

TEST_F(ShelfTest, AnAnswerDoesNotBringBackWhatIsGone) {
  shelf_.erase({.ns = "", .name = "p"});
  EXPECT_EQ(shelf_.put_answer(pv("p").version("6")), Taken::kUnknown);
  EXPECT_EQ(shelf_.objects().size(), 0U);
}

TEST_F(ShelfTest, AnAnswerAboutAnotherObjectIsNotTaken) {
  EXPECT_EQ(shelf_.put_answer(pv("p").uid("other").version("6")), Taken::kUnknown);
  EXPECT_EQ(version(), "5");
}

TEST_F(ShelfTest, AnAnswerIsTakenBeforeItsEventComes) {
  EXPECT_EQ(shelf_.put_answer(pv("p").version("6")), Taken::kNew);
  EXPECT_EQ(shelf_.put_seen(pv("p").version("6")), Taken::kSame);
}

}  // namespace
}  // namespace berth::actors
