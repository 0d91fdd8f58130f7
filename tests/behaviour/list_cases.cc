// Reading: one object, all objects, all objects page by page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/objects/lease.h"
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

class Read : public Behaviour {
 protected:
  void make(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      made(kLease, lease(name));
    }
  }

  Page page(const kube::ListRequest& request) {
    auto answer = list(request);
    EXPECT_TRUE(answer.has_value()) << answer.error().text();
    return answer ? *answer : Page();
  }
};

TEST_F(Read, AMissingObjectIsNotFound) {
  EXPECT_CODE(get(kLease, "a"), ErrorCode::kNotFound);
}

TEST_F(Read, SeesTheLastWrite) {
  made(kLease, lease("a"));
  const Object changed = merged(kLease, "a", R"({"spec":{"holderIdentity":"2"}})");
  const auto read = get(kLease, "a");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, changed);
}

TEST_F(Read, ListsANamespaceInTheOrderOfNames) {
  make({"c", "a", "b"});
  EXPECT_THAT(selected(kLease, ""), ElementsAre("a", "b", "c"));
}

TEST_F(Read, ListsOnlyTheKindThatIsAskedFor) {
  make({"a"});
  made(kPod, pod("p"));
  EXPECT_THAT(selected(kPod, ""), ElementsAre("p"));
}

TEST_F(Read, ListsAllNamespacesWhereNoneIsNamed) {
  made(kLease, lease("a", "of", ns()));
  const Page page = this->page({.of = {.kind = &kLease, .label_selector = "of=" + ns()}});
  EXPECT_THAT(names(page.items), ElementsAre("a"));
}

TEST_F(Read, AnEmptyListHasAResourceVersionToo) {
  const Page page = this->page({.of = all(kPod)});
  EXPECT_THAT(page.items, IsEmpty());
  EXPECT_FALSE(page.resource_version.empty());
  EXPECT_TRUE(page.continue_token.empty());
}

TEST_F(Read, ItemsAreTheObjectsAsTheyAreReadAlone) {
  made(kLease, lease("a"));
  const Page page = this->page({.of = all(kLease)});
  const auto read = get(kLease, "a");
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items[0].at("metadata"), read->at("metadata"));
  EXPECT_EQ(page.items[0].at("spec"), read->at("spec"));
}

TEST_F(Read, AListAsNewAsAWriteHasIt) {
  const Object made = this->made(kLease, lease("a"));
  const Page page = this->page({.of = all(kLease), .resource_version = version(made)});
  EXPECT_THAT(names(page.items), ElementsAre("a"));
}

// A server that takes the version for exactly the one to show leaves out "c".
TEST_F(Read, PagesOfAListAsNewAsAWriteHoldWhatWasWrittenSince) {
  make({"a"});
  const Object made = this->made(kLease, lease("b"));
  make({"c"});
  const Page first = page({.of = all(kLease), .resource_version = version(made), .limit = 2});
  EXPECT_THAT(names(first.items), ElementsAre("a", "b"));
  ASSERT_FALSE(first.continue_token.empty());
  const Page rest = page({.of = all(kLease), .limit = 2, .continue_token = first.continue_token});
  EXPECT_THAT(names(rest.items), ElementsAre("c"));
}

TEST_F(Read, PagesOfAListAsNewAsAForgottenStateAreNotGone) {
  const Object made = this->made(kLease, lease("a"));
  make({"b"});
  if (!server().forget_history()) {
    GTEST_SKIP() << "this server cannot be made to forget";
  }
  const Page first = page({.of = all(kLease), .resource_version = version(made), .limit = 1});
  EXPECT_THAT(names(first.items), ElementsAre("a"));
  EXPECT_FALSE(first.continue_token.empty());
}

TEST_F(Read, AListMayBeAsOldAsTheServerLikes) {
  EXPECT_TRUE(list({.of = all(kLease), .resource_version = "0"}).has_value());
}

TEST_F(Read, RefusesAResourceVersionThatIsNone) {
  EXPECT_CODE(list({.of = all(kLease), .resource_version = "new"}), ErrorCode::kInvalid);
}

TEST_F(Read, PagesTogetherAreTheList) {
  make({"a", "b", "c", "d", "e"});
  const Page first = page({.of = all(kLease), .limit = 2});
  EXPECT_THAT(names(first.items), ElementsAre("a", "b"));
  const Page second = page({.of = all(kLease), .limit = 2, .continue_token = first.continue_token});
  EXPECT_THAT(names(second.items), ElementsAre("c", "d"));
  const Page third = page({.of = all(kLease), .limit = 2, .continue_token = second.continue_token});
  EXPECT_THAT(names(third.items), ElementsAre("e"));
  EXPECT_TRUE(third.continue_token.empty());
}

TEST_F(Read, APageThatHoldsEverythingIsTheLast) {
  make({"a", "b"});
  const Page first = page({.of = all(kLease), .limit = 2});
  EXPECT_EQ(first.items.size(), 2U);
  EXPECT_TRUE(first.continue_token.empty());
}

TEST_F(Read, PagesAreOfOneState) {
  make({"a", "b", "c"});
  const Page first = page({.of = all(kLease), .limit = 1});
  made(kLease, lease("b2"));
  merged(kLease, "b", R"({"spec":{"holderIdentity":"changed"}})");
  const Page second = page({.of = all(kLease), .limit = 1, .continue_token = first.continue_token});
  EXPECT_THAT(names(second.items), ElementsAre("b"));
  EXPECT_EQ(text(second.items[0], "spec.holderIdentity"), "1");
  ASSERT_TRUE(remove(kLease, "c").has_value());
  const Page rest = page({.of = all(kLease), .continue_token = second.continue_token});
  EXPECT_THAT(names(rest.items), ElementsAre("c"));
  EXPECT_EQ(second.resource_version, first.resource_version);
  EXPECT_EQ(rest.resource_version, first.resource_version);
}

TEST_F(Read, PagesKeepTheSelection) {
  for (const char* name : {"a", "b", "c", "d"}) {
    made(kLease, lease(name, "app", name[0] % 2 == 0 ? "even" : "odd"));
  }
  kube::Selection odd = all(kLease);
  odd.label_selector = "app=odd";
  const Page first = page({.of = odd, .limit = 1});
  EXPECT_THAT(names(first.items), ElementsAre("a"));
  const Page rest = page({.of = odd, .continue_token = first.continue_token});
  EXPECT_THAT(names(rest.items), ElementsAre("c"));
}

TEST_F(Read, RefusesAContinueTokenThatIsNone) {
  EXPECT_CODE(list({.of = all(kLease), .limit = 1, .continue_token = "???"}), ErrorCode::kInvalid);
}

TEST_F(Read, RefusesAContinueTokenBesideAResourceVersion) {
  make({"a", "b"});
  const Page first = page({.of = all(kLease), .limit = 1});
  EXPECT_CODE(list({.of = all(kLease),
                    .resource_version = first.resource_version,
                    .limit = 1,
                    .continue_token = first.continue_token}),
              ErrorCode::kInvalid);
}

TEST_F(Read, AContinueTokenOfAForgottenStateIsGone) {
  make({"a", "b"});
  const Page first = page({.of = all(kLease), .limit = 1});
  make({"c"});
  if (!server().forget_history()) {
    GTEST_SKIP() << "this server cannot be made to forget";
  }
  EXPECT_CODE(list({.of = all(kLease), .limit = 1, .continue_token = first.continue_token}),
              ErrorCode::kGone);
}

TEST_F(Read, WhatIsThereStaysReadableWhenHistoryIsForgotten) {
  make({"a"});
  if (!server().forget_history()) {
    GTEST_SKIP() << "this server cannot be made to forget";
  }
  EXPECT_TRUE(get(kLease, "a").has_value());
  EXPECT_THAT(selected(kLease, ""), ElementsAre("a"));
}

}  // namespace
}  // namespace berth::tests
