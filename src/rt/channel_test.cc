#include "rt/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rt/cancel.h"
#include "rt/every_step.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// Can only be moved, so that an item that is copied, or taken twice, does not go unseen.
using Item = std::unique_ptr<int>;
using Items = Channel<Item>;

Task<void> send_one(Items* channel, int number, Until until, std::vector<bool>* sent) {
  const bool is_sent = co_await channel->send(std::make_unique<int>(number), until);
  sent->push_back(is_sent);
}

Task<void> receive_one(Items* channel, Until until, std::vector<int>* received) {
  const std::optional<Item> item = co_await channel->receive(until);
  received->push_back(item ? **item : -1);
}

class ChannelTest : public testing::Test {
 protected:
  void settle() { simulation_.run_for(seconds(0)); }
  void send(int number, const Until& until = {}) {
    scope_.spawn("sender", send_one(channel_.get(), number, until, &sent_));
    settle();
  }
  void receive(const Until& until = {}) {
    scope_.spawn("receiver", receive_one(channel_.get(), until, &received_));
    settle();
  }

  Simulation simulation_{1};
  std::vector<bool> sent_;
  std::vector<int> received_;
  std::unique_ptr<Items> channel_ = std::make_unique<Items>(simulation_, "parcels", 2);
  Scope scope_{simulation_, "test"};
};

TEST_F(ChannelTest, ItemsComeOutInTheOrderTheyWentIn) {
  send(1);
  send(2);
  receive();
  send(3);
  receive();
  receive();
  EXPECT_THAT(received_, ElementsAre(1, 2, 3));
}

TEST_F(ChannelTest, AFullOneMakesSendersWait) {
  send(1);
  send(2);
  send(3);
  EXPECT_THAT(sent_, ElementsAre(true, true));
  EXPECT_EQ(channel_->size(), 2U);
  receive();
  EXPECT_THAT(sent_, ElementsAre(true, true, true));
  EXPECT_EQ(channel_->size(), 2U);
}

TEST_F(ChannelTest, AnEmptyOneMakesReceiversWait) {
  receive();
  EXPECT_THAT(received_, IsEmpty());
  send(1);
  EXPECT_THAT(received_, ElementsAre(1));
}

TEST_F(ChannelTest, TryingDoesNotWaitAndLeavesARefusedItem) {
  EXPECT_EQ(channel_->try_receive(), std::nullopt);
  Item item = std::make_unique<int>(1);
  EXPECT_TRUE(channel_->try_send(item));
  item = std::make_unique<int>(2);
  EXPECT_TRUE(channel_->try_send(item));
  item = std::make_unique<int>(3);
  EXPECT_FALSE(channel_->try_send(item));
  ASSERT_TRUE(item);
  EXPECT_EQ(*item, 3);
  channel_->close();
  EXPECT_FALSE(channel_->try_send(item));
  EXPECT_TRUE(item);
}

TEST_F(ChannelTest, ReceivingEndsByDeadlineOrToken) {
  CancelSource source;
  receive({.deadline = Time(seconds(1))});
  receive({.token = source.token()});
  simulation_.run_for(seconds(1));
  EXPECT_THAT(received_, ElementsAre(-1));
  source.cancel();
  settle();
  EXPECT_THAT(received_, ElementsAre(-1, -1));
  send(1);
  EXPECT_EQ(channel_->size(), 1U);
}

TEST_F(ChannelTest, SendingEndsByDeadlineOrToken) {
  CancelSource source;
  send(1);
  send(2);
  send(3, {.deadline = Time(seconds(1))});
  send(4, {.token = source.token()});
  simulation_.run_for(seconds(1));
  source.cancel();
  settle();
  EXPECT_THAT(sent_, ElementsAre(true, true, false, false));
  EXPECT_EQ(channel_->size(), 2U);
}

TEST_F(ChannelTest, AClosedOneIsEmptiedAndTakesNothing) {
  send(1);
  channel_->close();
  EXPECT_TRUE(channel_->is_closed());
  send(2);
  receive();
  receive();
  EXPECT_THAT(sent_, ElementsAre(true, false));
  EXPECT_THAT(received_, ElementsAre(1, -1));
}

TEST_F(ChannelTest, ClosingWakesAllWhoWait) {
  receive();
  receive();
  channel_->close();
  settle();
  EXPECT_THAT(received_, ElementsAre(-1, -1));
  EXPECT_EQ(scope_.size(), 0U);
}

TEST_F(ChannelTest, ClosingAFullOneRefusesThoseWhoWaitToSend) {
  send(1);
  send(2);
  send(3);
  channel_->close();
  settle();
  EXPECT_THAT(sent_, ElementsAre(true, true, false));
}

TEST_F(ChannelTest, DestroyingItEndsTheWaits) {
  send(1);
  send(2);
  send(3);
  channel_.reset();
  settle();
  EXPECT_THAT(sent_, ElementsAre(true, true, false));
  EXPECT_EQ(scope_.size(), 0U);
}

TEST_F(ChannelTest, DestroyingItBetweenANotificationAndItsReceiverEndsTheWait) {
  receive();
  Item item = std::make_unique<int>(1);
  EXPECT_TRUE(channel_->try_send(item));
  channel_.reset();
  settle();
  EXPECT_THAT(received_, ElementsAre(-1));
}

TEST(ChannelDeathTest, HoldsSomething) {
  Simulation simulation(1);
  EXPECT_DEATH(Items(simulation, "parcels", 0), "a channel holds something");
}

constexpr int kItems = 6;

Task<void> send_all(Simulation* simulation, Items* channel, int first, std::vector<int>* sent) {
  for (int i = 0; i < kItems; ++i) {
    const bool is_sent = co_await channel->send(std::make_unique<int>(first + i), {});
    if (!is_sent) {
      co_return;
    }
    sent->push_back(first + i);
    if (i == kItems / 2) {
      co_await sleep_for(*simulation, milliseconds(1), {});
    }
  }
}

Task<void> receive_all(Simulation* simulation,
                       Items* channel,
                       Until until,
                       std::vector<int>* received) {
  while (true) {
    const std::optional<Item> item = co_await channel->receive(until);
    if (!item) {
      co_return;
    }
    received->push_back(**item);
    if (**item % 2 == 0) {
      co_await Yield(*simulation);
    }
  }
}

// Two senders, two receivers, little room.
struct Post {
  explicit Post(std::uint64_t seed) : simulation(seed) {
    sender->spawn("s", send_all(&simulation, &channel, 100, &sent_by_victim));
    others.spawn("s", send_all(&simulation, &channel, 200, &sent));
    receiver->spawn("r",
                    receive_all(&simulation, &channel, {.token = receiver->token()}, &received));
    others.spawn("r", receive_all(&simulation, &channel, {}, &received));
  }
  // What is left when everything has come to rest.
  void finish() {
    channel.close();
    simulation.run_until(kNever);
    std::ranges::sort(received);
  }

  Simulation simulation;
  std::vector<int> sent;
  std::vector<int> sent_by_victim;
  std::vector<int> received;
  Items channel{simulation, "parcels", 1};
  Scope others{simulation, "others"};
  std::unique_ptr<Scope> sender = std::make_unique<Scope>(simulation, "sender");
  std::unique_ptr<Scope> receiver = std::make_unique<Scope>(simulation, "receiver");
};

std::vector<int> numbers(int first, std::size_t count) {
  std::vector<int> all(count);
  std::ranges::generate(all, [&] { return first++; });
  return all;
}

void expect_all_delivered(Post& post, const std::string& when) {
  post.finish();
  std::vector<int> all = numbers(100, kItems);
  for (const int number : numbers(200, kItems)) {
    all.push_back(number);
  }
  EXPECT_EQ(post.received, all) << when;
  EXPECT_EQ(post.others.size(), 0U) << when;
}

TEST(ChannelEveryStep, GivingUpAReceiverLosesNoItem) {
  std::size_t steps = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    steps += at_every_step<Post>(
        {.seed = seed}, [](Post& post) { post.receiver.reset(); }, expect_all_delivered);
  }
  EXPECT_GT(steps, 40U * 20);
}

TEST(ChannelEveryStep, CancellingAReceiverLosesNoItem) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    at_every_step<Post>(
        {.seed = seed}, [](Post& post) { post.receiver->cancel(); }, expect_all_delivered);
  }
}

TEST(ChannelEveryStep, GivingUpASenderLosesNoRoomAndNothingSent) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    at_every_step<Post>(
        {.seed = seed},
        [](Post& post) { post.sender.reset(); },
        [](Post& post, const std::string& when) {
          EXPECT_EQ(post.sent, numbers(200, kItems)) << when;
          post.finish();
          std::vector<int> all = numbers(100, post.sent_by_victim.size());
          for (const int number : numbers(200, kItems)) {
            all.push_back(number);
          }
          EXPECT_EQ(post.received, all) << when;
          EXPECT_EQ(post.others.size(), 0U) << when;
        });
  }
}

TEST(ChannelEveryStep, ClosingLosesNothingSent) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    at_every_step<Post>(
        {.seed = seed},
        [](Post& post) { post.channel.close(); },
        [](Post& post, const std::string& when) {
          post.finish();
          std::vector<int> all = numbers(100, post.sent_by_victim.size());
          for (const int number : numbers(200, post.sent.size())) {
            all.push_back(number);
          }
          EXPECT_EQ(post.received, all) << when;
          EXPECT_EQ(post.sender->size() + post.receiver->size() + post.others.size(), 0U) << when;
        });
  }
}

Task<void> pass_on(Items* from, Items* to) {
  std::optional<Item> item = co_await from->receive({});
  co_await to->send(*std::move(item), {});
}

TEST(Channel, ADeadlockOfTwoNamesBoth) {
  Simulation simulation(1);
  Items left(simulation, "a parcel from the left", 1);
  Items right(simulation, "a parcel from the right", 1);
  Scope scope(simulation, "post");
  // Each wants something before it gives something.
  scope.spawn("ann", pass_on(&left, &right));
  scope.spawn("bob", pass_on(&right, &left));
  simulation.run_for(seconds(3));
  EXPECT_TRUE(simulation.is_stuck());
  EXPECT_EQ(simulation.stuck_report(),
            "post/ann: waits for a parcel from the left since 0.000s\n"
            "post/bob: waits for a parcel from the right since 0.000s\n");
}

}  // namespace
}  // namespace berth::rt
