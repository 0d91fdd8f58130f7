#include "kube/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/mask.h"
#include "api/objects/pod.h"
#include "kube/change.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using PodPointer = std::shared_ptr<const api::Pod>;

PodPointer pod(std::string name, std::string version, std::string node = "", std::string uid = "") {
  api::Pod made;
  made.metadata.ns = "n";
  made.metadata.uid = uid.empty() ? "uid-" + name : std::move(uid);
  made.metadata.name = std::move(name);
  made.metadata.resource_version = std::move(version);
  made.spec.node_name = std::move(node);
  return std::make_shared<const api::Pod>(std::move(made));
}

// "+a@1", "-a@1", "a@1>2"
std::vector<std::string> told(const std::vector<Change<api::Pod>>& changes) {
  std::vector<std::string> texts;
  for (const auto& change : changes) {
    const auto version = [](const PodPointer& object) { return object->metadata.resource_version; };
    switch (change.type) {
      case ChangeType::kAdded:
        EXPECT_EQ(change.before, nullptr);
        texts.push_back("+" + change.after->metadata.name + "@" + version(change.after));
        break;
      case ChangeType::kDeleted:
        EXPECT_EQ(change.after, nullptr);
        texts.push_back("-" + change.before->metadata.name + "@" + version(change.before));
        break;
      case ChangeType::kUpdated:
        texts.push_back(change.after->metadata.name + "@" + version(change.before) + ">" +
                        version(change.after));
        break;
    }
  }
  return texts;
}

std::vector<std::string> names(std::span<const PodPointer> pods) {
  std::vector<std::string> found;
  for (const auto& each : pods) {
    found.push_back(each->metadata.name);
  }
  return found;
}

TEST(Cache, TellsWhatEachChangeIs) {
  Cache<api::Pod> cache;
  EXPECT_THAT(told(cache.put(pod("a", "1"))), ElementsAre("+a@1"));
  EXPECT_THAT(told(cache.put(pod("a", "2"))), ElementsAre("a@1>2"));
  EXPECT_THAT(told(cache.put(pod("a", "2"))), IsEmpty());
  EXPECT_EQ(cache.find("n", "a")->metadata.resource_version, "2");
  EXPECT_THAT(told(cache.erase({"n", "a"})), ElementsAre("-a@2"));
  EXPECT_THAT(told(cache.erase({"n", "a"})), IsEmpty());
  EXPECT_EQ(cache.find("n", "a"), nullptr);
}

TEST(Cache, AnotherObjectOfTheSameNameIsADeletionAndAnAddition) {
  Cache<api::Pod> cache;
  cache.put(pod("a", "1", "", "first"));
  EXPECT_THAT(told(cache.put(pod("a", "2", "", "second"))), ElementsAre("-a@1", "+a@2"));
  EXPECT_THAT(told(cache.replace({pod("a", "3", "", "third")})), ElementsAre("-a@2", "+a@3"));
  EXPECT_EQ(cache.find("n", "a")->metadata.uid, "third");
  EXPECT_EQ(cache.size(), 1U);
}

TEST(Cache, ReplaceGivesTheDifferencesInOrder) {
  Cache<api::Pod> cache;
  cache.replace({pod("a", "1"), pod("b", "1"), pod("c", "1")});
  const auto changes = cache.replace({pod("d", "9"), pod("c", "8"), pod("a", "1")});
  EXPECT_THAT(told(changes), ElementsAre("-b@1", "c@1>8", "+d@9"));
  EXPECT_THAT(names(cache.all()), ElementsAre("a", "c", "d"));
}

TEST(Cache, OfARepeatedKeyTheLastOneCounts) {
  Cache<api::Pod> cache;
  EXPECT_THAT(told(cache.replace({pod("a", "1"), pod("a", "2")})), ElementsAre("+a@2"));
}

TEST(Cache, IndexesFollowEveryChange) {
  Cache<api::Pod> cache;
  cache.add_index("node", [](const api::Pod& each) {
    return each.spec.node_name.empty() ? std::vector<std::string>()
                                       : std::vector{each.spec.node_name, each.spec.node_name};
  });
  cache.put(pod("b", "1", "x"));
  cache.put(pod("a", "1", "x"));
  cache.put(pod("c", "1"));
  EXPECT_THAT(names(cache.find_by("node", "x")), ElementsAre("a", "b"));
  cache.put(pod("b", "2", "y"));
  EXPECT_THAT(names(cache.find_by("node", "x")), ElementsAre("a"));
  EXPECT_THAT(names(cache.find_by("node", "y")), ElementsAre("b"));
  cache.replace({pod("c", "3", "y"), pod("d", "3", "y")});
  EXPECT_THAT(names(cache.find_by("node", "x")), IsEmpty());
  EXPECT_THAT(names(cache.find_by("node", "y")), ElementsAre("c", "d"));
  cache.erase({"n", "c"});
  EXPECT_THAT(names(cache.find_by("node", "y")), ElementsAre("d"));
  EXPECT_EQ(cache.find_by("node", "y").front()->metadata.resource_version, "3");
}

TEST(CacheDeathTest, RefusesAMaskWithoutIdentity) {
  EXPECT_DEATH(Cache<api::Pod>(api::Mask::keeping<api::Pod>({"metadata.name", "spec"})),
               "identity");
}

}  // namespace
}  // namespace berth::kube
