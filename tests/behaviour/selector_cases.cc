// Which objects a selector selects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/kind.h"
#include "api/objects/core_event.h"
#include "api/objects/lease.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const api::Kind& kLease = api::Lease::kKind;
constexpr const api::Kind& kPod = api::Pod::kKind;

class LabelSelector : public Behaviour {
 protected:
  void prepare() override {
    Object both = lease("both", "app", "web");
    both["metadata"].as_object()["labels"].as_object()["level"] = "7";
    made(kLease, both);
    made(kLease, lease("bare"));
    made(kLease, lease("db", "app", "db"));
    made(kLease, lease("web", "app", "web"));
  }

  void expect_refused(const std::string& labels, const std::string& fields = "") {
    SCOPED_TRACE(labels + fields);
    kube::Selection selection = all(kLease);
    selection.label_selector = labels;
    selection.field_selector = fields;
    EXPECT_CODE(list({.of = selection}), ErrorCode::kInvalid);
  }
};

TEST_F(LabelSelector, EmptySelectsEverything) {
  EXPECT_THAT(selected(kLease, ""), ElementsAre("bare", "both", "db", "web"));
}

TEST_F(LabelSelector, EqualsSelectsTheValue) {
  EXPECT_THAT(selected(kLease, "app=web"), ElementsAre("both", "web"));
  EXPECT_THAT(selected(kLease, "app==web"), ElementsAre("both", "web"));
}

TEST_F(LabelSelector, NotEqualsSelectsWhatHasNoSuchLabelToo) {
  EXPECT_THAT(selected(kLease, "app!=web"), ElementsAre("bare", "db"));
}

TEST_F(LabelSelector, InSelectsAnyOfTheValues) {
  EXPECT_THAT(selected(kLease, "app in (web, db)"), ElementsAre("both", "db", "web"));
}

TEST_F(LabelSelector, NotInSelectsNoneOfTheValues) {
  EXPECT_THAT(selected(kLease, "app notin (web,db)"), ElementsAre("bare"));
}

TEST_F(LabelSelector, AKeyAloneMustExist) {
  EXPECT_THAT(selected(kLease, "level"), ElementsAre("both"));
}

TEST_F(LabelSelector, ANegatedKeyMustNotExist) {
  EXPECT_THAT(selected(kLease, "!app"), ElementsAre("bare"));
}

TEST_F(LabelSelector, ComparesNumbers) {
  EXPECT_THAT(selected(kLease, "level>6"), ElementsAre("both"));
  EXPECT_THAT(selected(kLease, "level<7"), IsEmpty());
}

TEST_F(LabelSelector, AllRequirementsMustHold) {
  EXPECT_THAT(selected(kLease, "app=web, !level"), ElementsAre("web"));
}

TEST_F(LabelSelector, AnEmptyValueIsAValue) {
  EXPECT_THAT(selected(kLease, "app="), IsEmpty());
  made(kLease, lease("empty", "app", ""));
  EXPECT_THAT(selected(kLease, "app="), ElementsAre("empty"));
}

TEST_F(LabelSelector, FollowsTheLabelsAsTheyChange) {
  merged(kLease, "db", R"({"metadata":{"labels":{"app":"web"}}})");
  EXPECT_THAT(selected(kLease, "app=web"), ElementsAre("both", "db", "web"));
}

TEST_F(LabelSelector, RefusesWhatItCannotParse) {
  for (const char* selector : {"app in web",
                               "app in (web",
                               "app=web=db",
                               "=web",
                               "app web",
                               "!",
                               "app>high",
                               "a b=c",
                               "app=web,,db",
                               "app=not_a label"}) {
    expect_refused(selector);
  }
}

TEST_F(LabelSelector, GoesTogetherWithAFieldSelector) {
  EXPECT_THAT(selected(kLease, "app=web", "metadata.name=web"), ElementsAre("web"));
  EXPECT_THAT(selected(kLease, "app=db", "metadata.name=web"), IsEmpty());
}

TEST_F(LabelSelector, FieldsOtherThanTheKindsOwnAreRefused) {
  expect_refused("", "spec.holderIdentity=1");
  expect_refused("", "spec.nodeName=");
  expect_refused("", "metadata.name");
}

class FieldSelector : public Behaviour {};

TEST_F(FieldSelector, SelectsByName) {
  made(kLease, lease("a"));
  made(kLease, lease("b"));
  EXPECT_THAT(selected(kLease, "", "metadata.name=a"), ElementsAre("a"));
  EXPECT_THAT(selected(kLease, "", "metadata.name!=a,metadata.namespace=" + ns()),
              ElementsAre("b"));
}

TEST_F(FieldSelector, SelectsPodsByNode) {
  made(kPod, pod("free"));
  made(kPod, pod_on("placed", "node-1"));
  EXPECT_THAT(selected(kPod, "", "spec.nodeName="), ElementsAre("free"));
  EXPECT_THAT(selected(kPod, "", "spec.nodeName=node-1"), ElementsAre("placed"));
  EXPECT_THAT(selected(kPod, "", "spec.nodeName!="), ElementsAre("placed"));
}

TEST_F(FieldSelector, SelectsPodsByPhase) {
  made(kPod, pod("begun"));
  made(kPod, pod("new"));
  ASSERT_TRUE(merge_status(kPod, "begun", R"({"status":{"phase":"Running"}})").has_value());
  EXPECT_THAT(selected(kPod, "", "status.phase=Pending"), ElementsAre("new"));
  EXPECT_THAT(selected(kPod, "", "status.phase!=Pending"), ElementsAre("begun"));
}

TEST_F(FieldSelector, SelectsPodsByScheduler) {
  Object ours = pod("ours");
  ours["spec"].as_object()["schedulerName"] = "berth";
  made(kPod, ours);
  made(kPod, pod("theirs"));
  EXPECT_THAT(selected(kPod, "", "spec.schedulerName=berth"), ElementsAre("ours"));
  EXPECT_THAT(selected(kPod, "", "spec.schedulerName=default-scheduler"), ElementsAre("theirs"));
}

TEST_F(FieldSelector, SelectsNodesByWhetherTheyTakePods) {
  const std::string name = unique("node");
  const Object node{{"metadata", {{"name", name}}}};
  made(api::Node::kKind, node);
  const std::string by_name = "metadata.name=" + name;
  EXPECT_THAT(selected(api::Node::kKind, "", by_name + ",spec.unschedulable=false"),
              ElementsAre(name));
  merged(api::Node::kKind, name, R"({"spec":{"unschedulable":true}})");
  EXPECT_THAT(selected(api::Node::kKind, "", by_name + ",spec.unschedulable=false"), IsEmpty());
  EXPECT_THAT(selected(api::Node::kKind, "", by_name + ",spec.unschedulable=true"),
              ElementsAre(name));
}

TEST_F(FieldSelector, SelectsEventsByTheirObject) {
  for (const char* of : {"web-0", "web-1"}) {
    made(api::Event::kKind,
         {{"metadata", {{"name", std::string("of-") + of}}},
          {"involvedObject", {{"kind", "Pod"}, {"namespace", ns()}, {"name", of}}},
          {"reason", "Scheduled"},
          {"type", "Normal"}});
  }
  EXPECT_THAT(selected(api::Event::kKind, "", "involvedObject.name=web-1"),
              ElementsAre("of-web-1"));
  EXPECT_THAT(selected(api::Event::kKind, "", "reason=Scheduled,type!=Warning"),
              ElementsAre("of-web-0", "of-web-1"));
}

TEST_F(FieldSelector, RefusesFieldsOfPodsThatHaveNoIndex) {
  kube::Selection selection = all(kPod);
  selection.field_selector = "spec.priority=1";
  EXPECT_CODE(list({.of = selection}), ErrorCode::kInvalid);
}

}  // namespace
}  // namespace berth::tests
