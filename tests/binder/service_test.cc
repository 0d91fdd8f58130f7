#include "binder/service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/codec.h"
#include "api/objects/bind_request.h"
#include "api/objects/lease.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "binder/harbour.h"
#include "kube/elector_state.h"
#include "kube/object_key.h"
#include "rt/cancel.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/store.h"

namespace berth::binder {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// A service on a store, and how it ended.
struct Running {
  Running(rt::Simulation& simulation, world::Store& store, const std::string& name, bool elects)
      : client(simulation, store),
        service(simulation, client, options(name, elects)),
        scope(simulation, name) {
    scope.spawn("service", run());
  }

  static ServiceOptions options(const std::string& name, bool elects) {
    ServiceOptions options;
    if (elects) {
      options.election =
          kube::ElectorOptions{.lease = {.ns = "kube-system", .name = "binder"}, .identity = name};
    }
    return options;
  }
  rt::Task<void> run() { end = co_await service.run(stop.token()); }

  FatedClient client;
  Service service;
  rt::CancelSource stop;
  std::optional<Service::End> end;
  rt::Scope scope;
};

class ServiceTest : public testing::Test {
 protected:
  void order(const std::string& name) {
    create(api::Pod::kKind,
           fmt::format(R"({{"metadata":{{"name":"{}"}},)"
                       R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
                       name));
    create(api::BindRequest::kKind,
           fmt::format(R"({{"metadata":{{"name":"{0}"}},)"
                       R"("spec":{{"podName":"{0}","selectedNode":"n1"}}}})",
                       name));
  }
  void create(const api::Kind& kind, const std::string& body) {
    const std::string ns = kind.scope == api::Scope::kNamespaced ? "default" : "";
    ASSERT_TRUE(store_.create({.kind = &kind, .key = {.ns = ns}, .body = body}).has_value());
  }
  std::string phase(const std::string& name) {
    const auto text =
        store_.get({.kind = &api::BindRequest::kKind, .key = {.ns = "default", .name = name}},
                   store_.resource_version());
    return api::from_json<api::BindRequest>(*text)->status.phase;
  }
  std::unique_ptr<Running> start(const std::string& name, bool elects = true) {
    return std::make_unique<Running>(simulation_, store_, name, elects);
  }
  void SetUp() override { create(api::Node::kKind, R"({"metadata":{"name":"n1"}})"); }

  rt::Simulation simulation_{1};
  world::Store store_{{.clock = [this] { return simulation_.wall_now(); }}};
};

TEST_F(ServiceTest, BindsWithoutAnElection) {
  order("a");
  const auto service = start("one", false);
  simulation_.run_for(seconds(1));
  EXPECT_EQ(phase("a"), "Succeeded");
  service->stop.cancel();
  simulation_.run_for(seconds(1));
  EXPECT_EQ(service->end, Service::End::kStopped);
}

TEST_F(ServiceTest, OnlyTheLeaderBinds) {
  const auto first = start("one");
  simulation_.run_for(seconds(5));
  const auto second = start("two");
  simulation_.run_for(minutes(1));
  order("a");
  simulation_.run_for(seconds(5));
  EXPECT_EQ(phase("a"), "Succeeded");
  EXPECT_TRUE(first->service.is_leader());
  EXPECT_FALSE(second->service.is_leader());
  EXPECT_EQ(second->service.leader(), "one");
  EXPECT_EQ(second->service.binder().counts().attempts, 0U);
}

TEST_F(ServiceTest, GivesItsLeaseBackSoThatAnotherCanGoOnAtOnce) {
  const auto first = start("one");
  simulation_.run_for(minutes(2));  // whatever was sent before has landed
  const auto second = start("two");
  simulation_.run_for(seconds(5));
  first->stop.cancel();
  order("a");
  simulation_.run_for(seconds(10));  // less than a lease
  EXPECT_EQ(first->end, Service::End::kStopped);
  EXPECT_EQ(phase("a"), "Succeeded");
}

TEST_F(ServiceTest, FinishesWhatItHasBegunBeforeItGivesTheLeaseBack) {
  const auto service = start("one");
  simulation_.run_for(seconds(5));
  service->client.fate = [&service](const std::string& call) {
    if (call == "bind a") {
      service->stop.cancel();
    }
    return Fate{};
  };
  order("a");
  simulation_.run_for(seconds(5));
  EXPECT_EQ(service->end, Service::End::kStopped);
  EXPECT_EQ(phase("a"), "Succeeded");
}

TEST_F(ServiceTest, EndsWhenItsLeaseIsTaken) {
  const auto service = start("one");
  simulation_.run_for(seconds(5));
  ASSERT_TRUE(store_
                  .patch({.kind = &api::Lease::kKind,
                          .key = {.ns = "kube-system", .name = "binder"},
                          .body = R"({"spec":{"holderIdentity":"thief"}})"})
                  .has_value());
  simulation_.run_for(seconds(20));
  EXPECT_EQ(service->end, Service::End::kDeposed);
  EXPECT_FALSE(service->service.is_leader());
}

TEST_F(ServiceTest, EndsAlsoBeforeItHasLed) {
  const auto first = start("one");
  simulation_.run_for(seconds(5));
  const auto second = start("two");
  simulation_.run_for(seconds(5));
  second->stop.cancel();
  simulation_.run_for(seconds(5));
  EXPECT_EQ(second->end, Service::End::kStopped);
}

// A binding of it may still be applied: whoever comes next must not be told that all is settled.
TEST_F(ServiceTest, KeepsItsLeaseWhenABindingIsPerhapsUnderWay) {
  auto first = start("one");
  simulation_.run_for(seconds(5));
  first->client.fate = [](const std::string& call) {
    return call == "bind a" ? Fate{.lands_in = seconds(60)} : Fate{};
  };
  order("a");
  simulation_.run_for(seconds(2));
  // Its node goes, so that the order would fail.
  ASSERT_TRUE(store_.remove({.kind = &api::Node::kKind, .key = {.name = "n1"}}).has_value());
  simulation_.run_for(seconds(20));
  first->stop.cancel();
  simulation_.run_for(seconds(1));
  EXPECT_EQ(first->end, Service::End::kStopped);
  const auto second = start("two");
  simulation_.run_for(seconds(30));
  EXPECT_TRUE(second->service.is_leader());
  EXPECT_EQ(phase("a"), "");
  simulation_.run_for(minutes(2));
  EXPECT_EQ(phase("a"), "Succeeded");
}

TEST_F(ServiceTest, AServiceThatHasLedForAMomentPassesOnWhatItDoesNotKnow) {
  auto first = start("one");
  simulation_.run_for(seconds(5));
  first.reset();  // a crash
  auto second = start("two");
  simulation_.run_for(seconds(20));
  ASSERT_TRUE(second->service.is_leader());
  second->stop.cancel();
  simulation_.run_for(seconds(1));
  ASSERT_TRUE(store_.remove({.kind = &api::Node::kKind, .key = {.name = "n1"}}).has_value());
  order("a");
  const auto third = start("three");
  simulation_.run_for(seconds(30));
  EXPECT_TRUE(third->service.is_leader());
  EXPECT_EQ(phase("a"), "");  // not said yet
  simulation_.run_for(minutes(2));
  EXPECT_EQ(phase("a"), "Failed");
}

// Without an election: a leader's writes also end with its lease.
TEST_F(ServiceTest, GivesUpWhatTakesTooLongWhenItIsToEnd) {
  const auto service = start("one", false);
  simulation_.run_for(seconds(5));
  service->client.fate = [](const std::string& call) {
    return call == "bind a" ? Fate{.takes = minutes(10)} : Fate{};
  };
  order("a");
  simulation_.run_for(seconds(1));
  service->stop.cancel();
  simulation_.run_for(seconds(7));
  EXPECT_EQ(service->end, std::nullopt);
  simulation_.run_for(seconds(2));  // drain_max and a little
  EXPECT_EQ(service->end, Service::End::kStopped);
}

}  // namespace
}  // namespace berth::binder
