// Claims of pods' ephemeral volumes, on an embedded store.
#include "actors/ephemeral_claims.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "api/codec.h"
#include "api/objects/core_event.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "base/assert.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "world/direct_client.h"
#include "world/store.h"

namespace berth::actors {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Claim = api::PersistentVolumeClaim;

class EphemeralClaimsTest : public testing::Test {
 protected:
  EphemeralClaimsTest() { scope_.spawn("actor", actor_.run(scope_.token())); }

  void create(const api::Kind& kind, const std::string& body) {
    const auto made = store_.create({.kind = &kind, .key = {.ns = "default"}, .body = body});
    BERTH_ASSERT(made.has_value(), "the objects of a test are valid");
  }
  void make_pod() {
    create(api::Pod::kKind,
           R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],)"
           R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{)"
           R"("accessModes":["ReadWriteOnce"],"storageClassName":"wait",)"
           R"("resources":{"requests":{"storage":"1Gi"}}}}}}]}})");
  }
  Result<std::string> text() {
    return store_.get({.kind = &Claim::kKind, .key = {.ns = "default", .name = "a-v"}},
                      store_.resource_version());
  }
  void remove_claim() {
    const auto removed =
        store_.remove({.kind = &Claim::kKind, .key = {.ns = "default", .name = "a-v"}});
    BERTH_ASSERT(removed.has_value(), "the claim can be removed");
  }

  rt::Simulation simulation_{1};
  world::Store store_{{.clock = [this] { return simulation_.wall_now(); }}};
  world::DirectClient client_{store_, simulation_};
  EphemeralClaims actor_{simulation_, client_, {}};
  rt::Scope scope_{simulation_, "test"};
};

TEST_F(EphemeralClaimsTest, APodGetsItsClaim) {
  simulation_.run_for(seconds(1));
  make_pod();
  simulation_.run_for(seconds(1));
  const auto found = text();
  ASSERT_TRUE(found);
  const auto claim = api::from_json<Claim>(*found);
  EXPECT_EQ(claim->metadata.owner_references.at(0).name, "a");
  EXPECT_EQ(claim->spec.storage_class_name, "wait");
}

TEST_F(EphemeralClaimsTest, AClaimThatIsDeletedUnderItsPodIsMadeAgain) {
  make_pod();
  simulation_.run_for(seconds(1));
  remove_claim();
  EXPECT_FALSE(text());
  simulation_.run_for(seconds(1));
  EXPECT_TRUE(text());
}

TEST_F(EphemeralClaimsTest, AClaimOfAnotherIsToldAndItsEndWaitedFor) {
  create(Claim::kKind, R"({"metadata":{"name":"a-v"},"spec":{}})");
  make_pod();
  simulation_.run_for(seconds(5));
  const auto events = store_.list({.of = {.kind = &api::Event::kKind}}, store_.resource_version());
  ASSERT_TRUE(events);
  ASSERT_EQ(events->items.size(), 1U);
  EXPECT_NE(events->items[0].bytes.find("pod is not owner"), std::string::npos);
  remove_claim();
  simulation_.run_for(minutes(10));
  ASSERT_TRUE(text());
  EXPECT_EQ(api::from_json<Claim>(*text())->metadata.owner_references.size(), 1U);
}

}  // namespace
}  // namespace berth::actors
