// Informers on a real server while everything breaks: connections are cut, history is forgotten,
// the server is killed and comes back. Afterwards every store must hold what a fresh list holds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/lease.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/typed.h"
#include "kube/watcher.h"
#include "peers/cluster_client.h"
#include "peers/real_cluster.h"
#include "rt/random.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "storm/cutting_proxy.h"
#include "storm/lossy_client.h"
#include "storm/writers.h"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kWriters = 48;

// What is compared of each informer: its store, what its handlers were told, and a fresh list.
class Follower {
 public:
  Follower() = default;
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  virtual ~Follower() = default;

  virtual const kube::Feed& feed() const = 0;
  // One line for each object that is not the same in all three.
  virtual std::vector<std::string> differences(const std::vector<kube::Document>& listed) const = 0;
};

template <typename Object>
class KindFollower final : public Follower {
 public:
  explicit KindFollower(kube::Informer<Object>& informer) : informer_(informer) {
    informer.on_change([this](const kube::InformerEvent<Object>& event) {
      const std::string name = event.newest()->metadata.name;
      if (event.type == kube::ChangeType::kDeleted) {
        told_.erase(name);
      } else {
        told_[name] = event.after;
      }
    });
  }

  const kube::Feed& feed() const override { return informer_; }

  std::vector<std::string> differences(const std::vector<kube::Document>& listed) const override {
    std::vector<std::string> found;
    std::map<std::string, std::shared_ptr<const Object>> fresh;
    for (const kube::Document& document : listed) {
      auto object = kube::decode<Object>(document);
      if (!object) {
        found.push_back(object.error().text());
        continue;
      }
      const std::string name = object->metadata.name;
      fresh[name] = std::make_shared<const Object>(*std::move(object));
    }
    std::map<std::string, std::shared_ptr<const Object>> stored;
    for (const auto& object : informer_.cache().all()) {
      stored[object->metadata.name] = object;
    }
    compare("the store", stored, fresh, &found);
    compare("what handlers were told", told_, fresh, &found);
    return found;
  }

 private:
  using Objects = std::map<std::string, std::shared_ptr<const Object>>;

  static void compare(std::string_view what,
                      const Objects& ours,
                      const Objects& fresh,
                      std::vector<std::string>* found) {
    for (const auto& [name, object] : fresh) {
      const auto known = ours.find(name);
      if (known == ours.end()) {
        found->push_back(fmt::format("{}: {} {} is missing", what, Object::kKind.name, name));
      } else if (*known->second != *object) {
        found->push_back(fmt::format("{}: {} {} is of version {}, not {}",
                                     what,
                                     Object::kKind.name,
                                     name,
                                     known->second->metadata.resource_version,
                                     object->metadata.resource_version));
      }
    }
    for (const auto& [name, object] : ours) {
      if (!fresh.contains(name)) {
        found->push_back(fmt::format("{}: {} {} is long gone", what, Object::kKind.name, name));
      }
    }
  }

  kube::Informer<Object>& informer_;
  Objects told_;
};

// All kinds that are written, followed in one way.
class Followers {
 public:
  Followers(rt::RealRuntime& runtime, kube::Client& client, kube::WatcherOptions options)
      : informers_(runtime,
                   client,
                   {.watcher = options, .on_problem = [this](const kube::Problem& problem) {
                      ++problems_[std::string(name_of(problem.error.code()))];
                    }}) {}

  template <typename Object>
  void add() {
    const bool is_cluster_wide = Object::kKind.scope == api::Scope::kCluster;
    auto& informer = informers_.add<Object>({.ns = is_cluster_wide ? "" : "default"});
    followers_.push_back(std::make_unique<KindFollower<Object>>(informer));
  }
  void add_all() {
    add<api::ConfigMap>();
    add<api::Pod>();
    add<api::Lease>();
    add<api::PersistentVolumeClaim>();
    add<api::Node>();
    add<api::BindRequest>();
  }

  kube::Informers& informers() { return informers_; }
  const std::vector<std::unique_ptr<Follower>>& followers() const { return followers_; }
  const std::map<std::string, std::uint64_t>& problems() const { return problems_; }
  std::uint64_t problems(ErrorCode code) const {
    const auto found = problems_.find(std::string(name_of(code)));
    return found != problems_.end() ? found->second : 0;
  }

 private:
  kube::Informers informers_;
  std::vector<std::unique_ptr<Follower>> followers_;
  std::map<std::string, std::uint64_t> problems_;
};

struct Faults {
  std::uint64_t cuts = 0;
  std::uint64_t compactions = 0;
  std::uint64_t pauses = 0;
  std::uint64_t kills = 0;
};

void expect_done(const Result<void>& result) {
  EXPECT_TRUE(result) << result.error().text();
}

class Storm : public testing::Test {
 protected:
  void SetUp() override {
    // Without the plugin no finalizer keeps a claim that is deleted.
    auto cluster = RealCluster::start(
        {.server_arguments = {"--disable-admission-plugins=StorageObjectInUseProtection"}});
    if (!cluster && cluster.error().code() == ErrorCode::kNotFound) {
      GTEST_SKIP() << cluster.error().text();
    }
    ASSERT_TRUE(cluster) << cluster.error().text();
    cluster_ = *std::move(cluster);
    const auto defined = cluster_->define(BERTH_BIND_REQUESTS);
    ASSERT_TRUE(defined) << defined.error().text();
    auto proxy = CuttingProxy::open(runtime_, {.host = cluster_->host(), .port = cluster_->port()});
    ASSERT_TRUE(proxy) << proxy.error().text();
    proxy_ = *std::move(proxy);
    direct_.emplace(runtime_, *cluster_);
    by_protobuf_.emplace(
        runtime_, *cluster_, ClusterClientOptions{.by_way_of = proxy_->endpoint()});
    by_json_.emplace(
        runtime_,
        *cluster_,
        ClusterClientOptions{.prefers_protobuf = false, .by_way_of = proxy_->endpoint()});
    writers_.emplace(runtime_, direct_->client(), "default");
  }

  // A page is small so that lists have many, and a pause short so that there are many of both.
  static kube::WatcherOptions options(bool streams_initial_events) {
    return {.page_size = 20,
            .streams_initial_events = streams_initial_events,
            .backoff = {.min = milliseconds(50), .max = seconds(1)}};
  }

  void run_writers(rt::Scope& scope, std::uint64_t enough) {
    rt::Random random(1);
    for (std::size_t i = 0; i < kWriters; ++i) {
      scope.spawn("a writer", writers_->write(i, random.fork(), enough, scope.token()));
    }
  }

  // Kills at these parts of the work, and does lesser things in between.
  rt::Task<void> disturb(std::uint64_t enough, Faults* faults, rt::CancelToken token) {
    rt::Random random(2);
    std::vector<std::uint64_t> kills = {90, 70, 50, 30, 10};  // per cent, the last one first
    while (writers_->done() < enough && !token.is_cancelled()) {
      static_cast<void>(co_await rt::sleep_for(
          runtime_, random.between(milliseconds(50), milliseconds(400)), token));
      if (!kills.empty() && writers_->done() * 100 >= enough * kills.back()) {
        kills.pop_back();
        expect_done(cluster_->kill_server());
        ++faults->kills;
        static_cast<void>(co_await rt::sleep_for(
            runtime_, random.between(milliseconds(0), milliseconds(500)), token));
        expect_done(cluster_->launch_server());
      } else if (random.one_in(10)) {
        expect_done(cluster_->pause_server());
        ++faults->pauses;
        static_cast<void>(co_await rt::sleep_for(
            runtime_, random.between(milliseconds(50), milliseconds(500)), token));
        expect_done(cluster_->resume_server());
      } else if (random.one_in(4)) {
        expect_done(cluster_->compact());
        ++faults->compactions;
      } else {
        faults->cuts += proxy_->cut_some(random);
      }
    }
  }

  static rt::Task<void> wait_for(kube::Informers* informers,
                                 const api::Kind* kind,
                                 std::string version,
                                 rt::Until until,
                                 std::size_t* seen) {
    const rt::Wake wake = co_await informers->wait_until_seen(kind, std::move(version), until);
    *seen += wake == rt::Wake::kNotified ? 1 : 0;
  }
  rt::Task<void> list(const kube::Selection* of, std::optional<Result<kube::ListPage>>* answer) {
    answer->emplace(co_await direct_->client().list({.of = *of}, soon()));
  }

  rt::Until soon() { return {.deadline = runtime_.now() + minutes(1)}; }

  // Writes one more object of each kind, waits until all have seen them, and compares.
  std::vector<std::string> differences(const std::vector<Followers*>& all) {
    rt::Scope scope(runtime_, "comparing");
    std::map<const api::Kind*, std::string> versions;
    scope.spawn("the last writes", writers_->write_last(&versions, scope.token()));
    run_until(runtime_, [&] { return scope.size() == 0; }, minutes(2));

    std::size_t seen = 0;
    std::size_t awaited = 0;
    for (Followers* followers : all) {
      for (const auto& follower : followers->followers()) {
        const api::Kind* kind = follower->feed().selection().kind;
        ++awaited;
        scope.spawn("until it is seen",
                    wait_for(&followers->informers(), kind, versions[kind], soon(), &seen));
      }
    }
    run_until(runtime_, [&] { return scope.size() == 0; }, minutes(2));
    std::vector<std::string> found;
    if (seen != awaited) {
      found.push_back(fmt::format("{} of {} informers have seen the last write", seen, awaited));
    }
    for (Followers* followers : all) {
      for (const auto& follower : followers->followers()) {
        std::optional<Result<kube::ListPage>> page;
        scope.spawn("a list", list(&follower->feed().selection(), &page));
        run_until(runtime_, [&] { return page.has_value(); }, minutes(2));
        if (!page || !*page) {
          found.push_back("there is no list to compare with");
          continue;
        }
        for (std::string& line : follower->differences((*page)->items)) {
          found.push_back(std::move(line));
        }
      }
    }
    return found;
  }

  void report(std::string_view title, const std::map<std::string, std::uint64_t>& counts) {
    for (const auto& [what, count] : counts) {
      fmt::print("{}: {}: {}\n", title, what, count);
    }
  }

  std::unique_ptr<RealCluster> cluster_;
  rt::RealRuntime runtime_{1};
  std::unique_ptr<CuttingProxy> proxy_;
  std::optional<ClusterClient> direct_;
  std::optional<ClusterClient> by_protobuf_;
  std::optional<ClusterClient> by_json_;
  std::optional<Writers> writers_;
};

TEST_F(Storm, StoresAreRightAfterwards) {
  constexpr std::uint64_t kWrites = 20'000;
  Followers listing(runtime_, by_protobuf_->client(), options(false));
  Followers streaming(runtime_, by_json_->client(), options(true));
  listing.add_all();
  streaming.add_all();
  rt::Scope following(runtime_, "informers");
  following.spawn("listing", listing.informers().run(following.token()));
  following.spawn("streaming", streaming.informers().run(following.token()));

  Faults faults;
  {
    rt::Scope scope(runtime_, "the storm");
    run_writers(scope, kWrites);
    scope.spawn("faults", disturb(kWrites, &faults, scope.token()));
    ASSERT_TRUE(run_until(runtime_, [&] { return scope.size() == 0; }, minutes(8)));
  }
  const auto started = cluster_->start_server();
  ASSERT_TRUE(started) << started.error().text();
  const std::vector<std::string> found = differences({&listing, &streaming});

  report("writes", writers_->counts());
  report("listing", listing.problems());
  report("streaming", streaming.problems());
  report("faults",
         {{"connections cut", faults.cuts},
          {"histories forgotten", faults.compactions},
          {"servers paused", faults.pauses},
          {"servers killed", faults.kills}});
  for (Followers* followers : {&listing, &streaming}) {
    for (const auto& follower : followers->followers()) {
      const kube::InformerCounts& counts = follower->feed().counts();
      fmt::print("{} of {}: {} changes, {} lists, {} watches, {} failed requests\n",
                 followers == &listing ? "listing" : "streaming",
                 follower->feed().selection().kind->name,
                 counts.changes,
                 counts.swaps,
                 counts.watches_opened,
                 counts.requests_failed);
    }
  }
  for (const std::string& line : found) {
    ADD_FAILURE() << line;
  }
  // It was a storm.
  EXPECT_GE(writers_->done(), kWrites);
  EXPECT_GE(faults.kills, 3U);
  EXPECT_GE(faults.cuts, 20U);
  EXPECT_GE(faults.compactions, 3U);
  EXPECT_GE(listing.problems(ErrorCode::kGone), 1U);
  EXPECT_GE(streaming.problems(ErrorCode::kGone), 1U);
}

// That the above proves something: a store that missed an event is found out.
TEST_F(Storm, AStoreThatMissedAnEventIsFoundOut) {
  Followers careful(runtime_, by_protobuf_->client(), options(false));
  LossyClient lossy(by_protobuf_->client());
  Followers careless(runtime_, lossy, options(false));
  careful.add_all();
  careless.add_all();
  rt::Scope following(runtime_, "informers");
  following.spawn("careful", careful.informers().run(following.token()));
  following.spawn("careless", careless.informers().run(following.token()));
  const auto have_synced = [&] {
    return careful.informers().has_synced() && careless.informers().has_synced();
  };
  ASSERT_TRUE(run_until(runtime_, have_synced, minutes(1)));
  {
    rt::Scope scope(runtime_, "writers");
    run_writers(scope, 2'000);
    ASSERT_TRUE(run_until(runtime_, [&] { return scope.size() == 0; }, minutes(3)));
  }
  EXPECT_EQ(differences({&careful}), std::vector<std::string>());
  std::size_t found = 0;
  for (const auto& follower : careless.followers()) {
    std::optional<Result<kube::ListPage>> page;
    rt::Scope scope(runtime_, "comparing");
    scope.spawn("a list", list(&follower->feed().selection(), &page));
    ASSERT_TRUE(run_until(runtime_, [&] { return page.has_value(); }, minutes(1)));
    ASSERT_TRUE(page->has_value());
    found += follower->differences((*page)->items).empty() ? 0 : 1;
  }
  EXPECT_EQ(found, careless.followers().size());
}

}  // namespace
}  // namespace berth::tests
