#include "volumes/recorded_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/objects/pod.h"
#include "base/error.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/record_plan.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::Place;
using testing::pod;
using testing::pv;
using testing::pvc;

RecordedPlan small_plan() {
  return {.pod = {.ns = "ns", .name = "a", .uid = "pod-a", .version = "7"},
          .node = {.name = "n1", .uid = "node-n1"},
          .planner = "berth-scheduler",
          .bindings = {{.claim = {.ns = "ns", .name = "c", .uid = "claim-c", .version = "3"},
                        .volume = {.name = "p", .uid = "volume-p", .version = "5"},
                        .reference = std::string(RecordedBinding::kWhole),
                        .adds_mark = true}},
          .provisions = {{.claim = {.ns = "ns", .name = "d", .uid = "claim-d", .version = "4"},
                          .before = "n0",
                          .is_ours = true,
                          .room = RecordedRoom{.storage_class = "fast",
                                               .ns = "csi",
                                               .name = "pool",
                                               .version = "6",
                                               .bytes = 1024}}}};
}

std::string text_of(const RecordedPlan& plan) {
  auto text = to_text(plan);
  EXPECT_TRUE(text.has_value()) << text.error().text();
  return text ? *text : "";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(RecordedPlan, HasOneCompactForm) {
  EXPECT_EQ(text_of(small_plan()),
            R"({"version":2,"readableFrom":1,"pod":{"ns":"ns","name":"a","uid":"pod-a","rv":"7"},)"
            R"("node":{"name":"n1","uid":"node-n1"},"planner":"berth-scheduler",)"
            R"("bindings":[{"claim":{"ns":"ns","name":"c","uid":"claim-c","rv":"3"},)"
            R"("volume":{"name":"p","uid":"volume-p","rv":"5"},"reference":"whole","mark":true}],)"
            R"("provisions":[{"claim":{"ns":"ns","name":"d","uid":"claim-d","rv":"4"},)"
            R"("before":"n0","ours":true,)"
            R"("room":{"class":"fast","ns":"csi","name":"pool","rv":"6","bytes":1024}}]})");
}

// Nobody loses a plan by starting a newer version.
TEST(RecordedPlan, ReadsWhatVersion1Wrote) {
  const std::string text =
      R"({"version":1,"readableFrom":1,"pod":{"ns":"ns","name":"a","uid":"pod-a","rv":"7"},)"
      R"("node":{"name":"n1","uid":"node-n1"},"planner":"berth-scheduler",)"
      R"("bindings":[{"claim":{"ns":"ns","name":"c","uid":"claim-c","rv":"3"},)"
      R"("volume":{"name":"p","uid":"volume-p","rv":"5"},"reference":"whole","mark":true}],)"
      R"("provisions":[{"claim":{"ns":"ns","name":"d","uid":"claim-d","rv":"4"},)"
      R"("before":"n0","ours":true}]})";
  RecordedPlan expected = small_plan();
  expected.version = 1;
  expected.provisions[0].room.reset();
  const auto plan = plan_from_text(text);
  ASSERT_TRUE(plan.has_value()) << plan.error().text();
  EXPECT_EQ(*plan, expected);
  EXPECT_EQ(text_of(*plan), text);
  EXPECT_FALSE(plan_from_text(text + " ").has_value());
  // Version 1 did not know of room.
  EXPECT_FALSE(plan_from_text(replaced(text_of(small_plan()), "\"version\":2", "\"version\":1"))
                   .has_value());
}

TEST(RecordedPlan, ReadsWhatItWrote) {
  RecordedPlan plan = small_plan();
  EXPECT_EQ(*plan_from_text(text_of(plan)), plan);
  plan.provisions[0].before.reset();
  EXPECT_EQ(*plan_from_text(text_of(plan)), plan);
  plan.provisions[0].before = "";  // an empty wish is not an absent one
  EXPECT_EQ(*plan_from_text(text_of(plan)), plan);
  plan.bindings.clear();
  plan.provisions.clear();
  EXPECT_EQ(*plan_from_text(text_of(plan)), plan);
}

TEST(RecordedPlan, RefusesGarbage) {
  for (const std::string_view text :
       {"", "null", "{}", "[]", "\"x\"", "{\"version\":1}", "{\"version\":\"1\"}", "{"}) {
    const auto plan = plan_from_text(text);
    ASSERT_FALSE(plan.has_value()) << text;
    EXPECT_EQ(plan.error().code(), ErrorCode::kInvalid) << text;
    EXPECT_TRUE(plan.error().text().starts_with("reading a recorded plan: ")) << text;
  }
}

TEST(RecordedPlan, NamesTheVersionItCannotRead) {
  std::string text = replaced(text_of(small_plan()), "\"version\":2", "\"version\":9");
  text = replaced(text, "\"readableFrom\":1", "\"readableFrom\":8");
  const auto plan = plan_from_text(text);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().text(),
            "reading a recorded plan: a plan of version 9, which version 2 cannot read");
  // Whatever it then looks like.
  EXPECT_FALSE(plan_from_text(replaced(text, "\"pod\":{", "\"pod\":[{")).has_value());
}

TEST(RecordedPlan, IgnoresWhatItDoesNotKnowOnlyWhereALaterVersionAllowsIt) {
  const std::string more = replaced(text_of(small_plan()), "\"pod\":", "\"new\":[1],\"pod\":");
  EXPECT_FALSE(plan_from_text(more).has_value());
  const auto later = plan_from_text(replaced(more, "\"version\":2", "\"version\":3"));
  ASSERT_TRUE(later.has_value()) << later.error().text();
  EXPECT_EQ(later->bindings, small_plan().bindings);
}

TEST(RecordedPlan, RefusesItsOwnVersionInAnotherForm) {
  const std::string text = text_of(small_plan());
  EXPECT_FALSE(plan_from_text(text + " ").has_value());
  EXPECT_FALSE(plan_from_text(replaced(text, "\"mark\":true", "\"mark\":false")).has_value());
}

TEST(RecordedPlan, RefusesWhatNobodyCouldActOn) {
  const auto refuses = [](auto change) {
    RecordedPlan plan = small_plan();
    change(plan);
    const auto text = to_text(plan);
    return !text && text.error().code() == ErrorCode::kInvalid;
  };
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.pod.uid.clear(); }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.node.name.clear(); }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.bindings[0].volume.version.clear(); }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.bindings[0].claim.uid.clear(); }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.bindings[0].reference = "half"; }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.provisions[0].claim.ns.clear(); }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.provisions[0].room->version.clear(); }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.provisions[0].room->bytes = -1; }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) { plan.bindings.push_back(plan.bindings[0]); }));
  EXPECT_TRUE(refuses([](RecordedPlan& plan) {
    plan.provisions[0].claim = plan.bindings[0].claim;  // both bound and provisioned
  }));
}

TEST(RecordedPlan, HasALimit) {
  RecordedPlan plan = small_plan();
  const std::string one = text_of(plan);
  while (text_of(plan).size() + 400 < RecordedPlan::kTextMax) {
    RecordedProvision more = plan.provisions[0];
    more.claim.name = "d" + std::to_string(plan.provisions.size());
    plan.provisions.push_back(more);
  }
  EXPECT_TRUE(plan_from_text(text_of(plan)).has_value());
  plan.planner = std::string(400, 'x');
  EXPECT_EQ(to_text(plan).error().code(), ErrorCode::kLimit);
  EXPECT_EQ(plan_from_text(std::string(RecordedPlan::kTextMax + 1, ' ')).error().code(),
            ErrorCode::kLimit);
}

// Making one. --------------------------------------------------------------------------------

class RecordPlan : public ::testing::Test {
 protected:
  Result<RecordedPlan> record(const api::Pod& of) {
    const NodePlan plan = place.look(of, "n1").plan;
    Ledger ledger(place.catalog, place.switches);
    auto assumed = ledger.assume(of, "n1", plan);
    EXPECT_TRUE(assumed.has_value());
    return record_plan(all_of(*assumed), of, "n1", "me", place.catalog.now());
  }

  Place place;
};

TEST_F(RecordPlan, SaysWhoAndWhereAndAsOfWhen) {
  place.add(pvc("c").of("wait").version("3"), pv("p").of("wait").version("5"));
  const auto plan = record(pod("a").claim("c"));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->pod.uid, "pod-a");
  EXPECT_EQ(plan->node, (RecordedObject{.name = "n1", .uid = "node-n1"}));
  EXPECT_EQ(plan->planner, "me");
  ASSERT_EQ(plan->bindings.size(), 1U);
  EXPECT_EQ(plan->bindings[0].claim.version, "3");
  EXPECT_EQ(plan->bindings[0].volume.version, "5");
}

TEST_F(RecordPlan, KnowsWhatOfAVolumeIsOurs) {
  place.add(pvc("free").of("wait").size("1G"), pv("p1").of("wait").size("1G"));
  auto plan = record(pod("a").claim("free"));
  EXPECT_EQ(plan->bindings[0].reference, RecordedBinding::kWhole);
  EXPECT_TRUE(plan->bindings[0].adds_mark);

  // A user named the claim before: F05.
  place.add(pvc("named").of("wait"), pv("p2").of("wait").names("named"));
  plan = record(pod("b").claim("named"));
  EXPECT_EQ(plan->bindings[0].reference, RecordedBinding::kUid);
  EXPECT_FALSE(plan->bindings[0].adds_mark);

  // The reference is complete: F04.
  place.add(pvc("full").of("wait"), pv("p3").of("wait").names("full", "claim-full"));
  plan = record(pod("d").claim("full"));
  EXPECT_EQ(plan->bindings[0].reference, RecordedBinding::kNothing);
  EXPECT_FALSE(plan->bindings[0].is_ours());

  // The mark was there before.
  place.add(pvc("marked").of("wait").size("3G"),
            pv("p4").of("wait").size("3G").note(kBoundByController, "yes"));
  plan = record(pod("e").claim("marked"));
  EXPECT_EQ(plan->bindings[0].reference, RecordedBinding::kWhole);
  EXPECT_FALSE(plan->bindings[0].adds_mark);
}

TEST_F(RecordPlan, KnowsWhatAClaimAskedForBefore) {
  place.add(pvc("new").of("wait-prov"),
            pvc("here").of("wait-prov").selected("n1"),
            pvc("dead").of("wait-prov").selected("n9"));
  auto plan = record(pod("a").claim("new"));
  EXPECT_FALSE(plan->provisions[0].before.has_value());
  EXPECT_TRUE(plan->provisions[0].is_ours);
  plan = record(pod("b").claim("here"));
  EXPECT_EQ(plan->provisions[0].before, "n1");
  EXPECT_FALSE(plan->provisions[0].is_ours);
  plan = record(pod("d").claim("dead"));
  EXPECT_EQ(plan->provisions[0].before, "n9");
  EXPECT_TRUE(plan->provisions[0].is_ours);
}

TEST_F(RecordPlan, RefusesWhatHasChangedSinceItWasAssumed) {
  const api::Pod a = pod("a").claim("c");
  place.add(pvc("c").of("wait"), pv("p").of("wait"));
  const AssumedPlan assumed{
      .node = "n1",
      .volumes = {{.volume = claim_volume(pv("p").of("wait"), *pvc("c").of("wait")).volume,
                   .claim = pvc("c").of("wait")}}};
  place.add(pv("p").of("wait").version("2"));
  auto plan = record_plan(all_of(assumed), a, "n1", "me", place.catalog.now());
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(plan.error().text(), "\"p\" is out of sync (stored: 2, assume: 1)");
  place.catalog.remove_volume("p");
  plan = record_plan(all_of(assumed), a, "n1", "me", place.catalog.now());
  EXPECT_EQ(plan.error().code(), ErrorCode::kNotFound);
}

// G01, H01: lists that were never initialised, both or either.
TEST_F(RecordPlan, RefusesWhatWasNeverAssumed) {
  const api::Pod a = pod("a").claim("c");
  const std::vector<StaticBinding> volumes;
  const std::vector<Provision> claims;
  const auto text_for = [&](const PlanToRecord& parts) {
    return record_plan(parts, a, "n1", "me", place.catalog.now()).error().text();
  };
  EXPECT_EQ(text_for({}), "failed to get cached bindings for pod \"ns/a\"");
  EXPECT_EQ(text_for({.claims = &claims}), "failed to get cached bindings for pod \"ns/a\"");
  EXPECT_EQ(text_for({.volumes = &volumes}),
            "failed to get cached claims to provision for pod \"ns/a\"");
  EXPECT_TRUE(
      record_plan({.volumes = &volumes, .claims = &claims}, a, "n1", "me", place.catalog.now())
          .has_value());
}

}  // namespace
}  // namespace berth::volumes
