// Streams that skip, break off and come late, and still show what there is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/objects/config_map.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/typed.h"
#include "rt/random.h"
#include "rt/time.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/testing/small_cluster.h"

namespace berth::world {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Next = Result<std::optional<kube::WatchEvent>>;
using Type = kube::WatchEventType;

std::unique_ptr<kube::Watch> watch(SmallCluster& world, kube::WatchRequest request) {
  auto started = world.wait(world.client.watch(std::move(request), {}));
  EXPECT_TRUE(started.has_value());
  return started ? *std::move(started) : nullptr;
}

Next next(SmallCluster& world, kube::Watch& stream, rt::Duration patience = seconds(1)) {
  return world.wait(stream.next({.deadline = world.simulation.now() + patience}));
}

api::ConfigMap object_of(const kube::WatchEvent& event) {
  auto object = kube::decode<api::ConfigMap>(event.object);
  EXPECT_TRUE(object.has_value());
  return object ? *std::move(object) : api::ConfigMap{};
}

void make(SmallCluster& world, const std::string& name) {
  EXPECT_TRUE(world.cluster.store().create(SmallCluster::create_request(name)));
}

void change(SmallCluster& world, const std::string& name, int value) {
  EXPECT_TRUE(world.cluster.store().patch(
      SmallCluster::patch_request(name, fmt::format(R"({{"data":{{"value":"{}"}}}})", value))));
}

TEST(InProcessWatch, ACoalescedStreamBeginsWithAddedAndEndsWithTheNewest) {
  SmallCluster world("coalesced-events");
  const auto stream = watch(
      world, {.of = SmallCluster::maps(), .resource_version = std::to_string(world.newest())});
  make(world, "a");
  for (int i = 0; i < 50; ++i) {
    change(world, "a", i);
  }
  world.simulation.run_for(seconds(1));
  std::uint64_t shown = 0;
  std::string value;
  Next event = next(world, *stream);
  for (; event && *event; event = next(world, *stream)) {
    EXPECT_EQ((*event)->type, shown == 0 ? Type::kAdded : Type::kModified);
    value = object_of(**event).data["value"];
    ++shown;
  }
  EXPECT_EQ(event.error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(value, "49");
  EXPECT_LT(shown, 51U);
  EXPECT_EQ(shown + world.faults.counts().of(Fault::kCoalescedEvents), 51U);
}

// What a reader who believes the stream thinks there is.
class Reader {
 public:
  void take(const kube::WatchEvent& event) {
    const api::ConfigMap object = object_of(event);
    const std::string& name = object.metadata.name;
    EXPECT_EQ(known_.contains(name), event.type != Type::kAdded)
        << name << " at " << object.metadata.resource_version;
    if (event.type == Type::kDeleted) {
      known_.erase(name);
    } else {
      known_[name] = object.metadata.resource_version;
    }
  }
  const std::map<std::string, std::string>& known() const { return known_; }

 private:
  std::map<std::string, std::string> known_;
};

// Creates, deletes and changes objects, in and out of the selection.
void stir(SmallCluster& world, rt::Random& random, int writes) {
  for (int i = 0; i < writes; ++i) {
    const std::string name(1, static_cast<char>('a' + random.below(2)));
    Store& store = world.cluster.store();
    if (!world.has(name)) {
      make(world, name);
    } else if (random.one_in(6)) {
      EXPECT_TRUE(
          store.remove({.kind = &api::ConfigMap::kKind, .key = {.ns = "default", .name = name}}));
    } else if (random.one_in(2)) {
      change(world, name, i);
    } else {
      const char* label = random.one_in(2) ? R"("web")" : "null";
      EXPECT_TRUE(store.patch(SmallCluster::patch_request(
          name, fmt::format(R"({{"metadata":{{"labels":{{"app":{}}}}}}})", label))));
    }
  }
}

TEST(InProcessWatch, ACoalescedStreamOfASelectionLosesNothing) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SmallCluster world("coalesced-events", seed);
    kube::Selection selection = SmallCluster::maps();
    selection.label_selector = "app=web";
    const auto stream =
        watch(world, {.of = selection, .resource_version = std::to_string(world.newest())});
    rt::Random random(seed);
    stir(world, random, 200);
    world.simulation.run_for(seconds(1));
    Reader reader;
    for (Next event = next(world, *stream); event && *event; event = next(world, *stream)) {
      reader.take(**event);
    }
    std::map<std::string, std::string> truth;
    const auto page = world.cluster.store().list({.of = selection}, world.newest());
    ASSERT_TRUE(page.has_value());
    for (const kube::Document& item : page->items) {
      const auto object = kube::decode<api::ConfigMap>(item);
      ASSERT_TRUE(object.has_value());
      truth[object->metadata.name] = object->metadata.resource_version;
    }
    EXPECT_EQ(reader.known(), truth) << "seed " << seed;
    EXPECT_GT(world.faults.counts().of(Fault::kCoalescedEvents), 0U);
  }
}

TEST(InProcessWatch, ACutStreamEndsOrFailsAndCanBeResumed) {
  SmallCluster world("cut-watch");
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;
  std::string version = std::to_string(world.newest());
  auto stream = watch(world, {.of = SmallCluster::maps(), .resource_version = version});
  for (int i = 0; i < 1000;) {
    const std::string name = fmt::format("a{}", i);
    if (!world.has(name)) {
      make(world, name);
    }
    world.simulation.run_for(milliseconds(1));
    const Next event = next(world, *stream);
    if (event && *event) {
      EXPECT_EQ(object_of(**event).metadata.name, name);
      version = object_of(**event).metadata.resource_version;
      ++i;
      continue;
    }
    EXPECT_TRUE(event || event.error().code() == ErrorCode::kUnavailable);
    ++(event ? ended : failed);
    stream = watch(world, {.of = SmallCluster::maps(), .resource_version = version});
  }
  EXPECT_GT(ended, 0U);
  EXPECT_GT(failed, 0U);
  EXPECT_EQ(world.faults.counts().of(Fault::kCutWatch), ended + failed);
}

TEST(InProcessWatch, ALateServerShowsEventsLateAndInOrder) {
  SmallCluster world("late-events");
  const auto stream = watch(
      world, {.of = SmallCluster::maps(), .resource_version = std::to_string(world.newest())});
  bool is_late = false;
  for (int i = 0; i < 50; ++i) {
    make(world, fmt::format("a{}", i));
    const rt::Time made = world.simulation.now();
    const Next event = next(world, *stream, minutes(1));
    ASSERT_TRUE(event && *event);
    EXPECT_EQ(object_of(**event).metadata.name, fmt::format("a{}", i));
    is_late = is_late || world.simulation.now() - made >= milliseconds(10);
  }
  EXPECT_TRUE(is_late);
}

TEST(InProcessWatch, AServerEndsAStreamAfterSomeMinutes) {
  SmallCluster world("none");
  const rt::Time begin = world.simulation.now();
  const auto stream = watch(world,
                            {.of = SmallCluster::maps(),
                             .resource_version = std::to_string(world.newest()),
                             .allow_bookmarks = false});
  const Next event = next(world, *stream, minutes(60));
  ASSERT_TRUE(event.has_value());
  EXPECT_FALSE(event->has_value());
  EXPECT_GE(world.simulation.now() - begin, minutes(5));
  EXPECT_LE(world.simulation.now() - begin, minutes(11));
}

TEST(InProcessWatch, AQuietStreamIsToldWhereItIsOnceAMinute) {
  SmallCluster world("none");
  const auto stream = watch(
      world, {.of = SmallCluster::maps(), .resource_version = std::to_string(world.newest())});
  EXPECT_TRUE(world.cluster.store().create({.kind = &api::ConfigMap::kKind,
                                            .key = {.ns = "kube-system", .name = ""},
                                            .body = R"({"metadata":{"name":"elsewhere"}})"}));
  const Next event = next(world, *stream, minutes(2));
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, Type::kBookmark);
  EXPECT_NE((*event)->object.bytes.find(fmt::format("\"{}\"", world.newest())), std::string::npos);
}

TEST(InProcessWatch, InitialEventsEndWithoutABookmarkWhereNoneIsWanted) {
  SmallCluster world("none");
  make(world, "a");
  world.simulation.run_for(seconds(1));
  const auto stream = watch(
      world, {.of = SmallCluster::maps(), .allow_bookmarks = false, .send_initial_events = true});
  const Next first = next(world, *stream);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->type, Type::kAdded);
  EXPECT_FALSE(next(world, *stream));
}

TEST(InProcessWatch, AStreamFromTheFutureWaitsForIt) {
  SmallCluster world("none");
  const auto stream = watch(
      world, {.of = SmallCluster::maps(), .resource_version = std::to_string(world.newest() + 1)});
  make(world, "a");
  make(world, "b");
  const Next event = next(world, *stream);
  ASSERT_TRUE(event && *event);
  EXPECT_EQ(object_of(**event).metadata.name, "b");
}

}  // namespace
}  // namespace berth::world
