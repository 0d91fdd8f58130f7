#include "stub_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;
using testing::IsEmpty;
using testing::SizeIs;

json::object object(std::string_view text) {
  return json::parse({text.data(), text.size()}).as_object();
}

const json::object kObjects = object(R"({
    "persistentvolumes": [{"apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": "pv-1", "uid": "u-pv", "resourceVersion": "5"}, "spec": {}}],
    "persistentvolumeclaims": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "namespace": "ns", "uid": "u-c", "resourceVersion": "6"},
        "spec": {}}]})");
const StubServer::Target kVolume{.resource = "persistentvolumes", .ns = "", .name = "pv-1"};
const StubServer::Target kClaim{.resource = "persistentvolumeclaims", .ns = "ns", .name = "c"};
const json::object kClaiming = object(R"({"metadata": {"resourceVersion": "5"},
    "spec": {"claimRef": {"namespace": "ns", "name": "c", "uid": "u-c"}}})");
const json::object kSelecting = object(R"({"metadata": {"resourceVersion": "6",
    "annotations": {"volume.kubernetes.io/selected-node": "n"}}})");

TEST(StubServer, ChangeGetsTheNextVersionAndANoOpNone) {
  StubServer server(kObjects, {});
  const auto changed = server.patch(kVolume, kClaiming);
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->at("metadata").at("resourceVersion"), "10001");
  ASSERT_TRUE(server.patch(kClaim, object(R"({"metadata": {"resourceVersion": "6"}})")));
  ASSERT_THAT(server.writes(), SizeIs(2));
  EXPECT_EQ(server.writes()[0], object(R"({"verb": "update", "resource": "persistentvolumes",
      "name": "pv-1", "resourceVersion": "5", "result": "ok", "resultResourceVersion": "10001",
      "changes": {"claimRef": {"namespace": "ns", "name": "c", "uid": "u-c"}}})"));
  EXPECT_EQ(server.writes()[1], object(R"({"verb": "update", "namespace": "ns", "name": "c",
      "resource": "persistentvolumeclaims", "resourceVersion": "6", "changes": {},
      "result": "ok", "resultResourceVersion": "6"})"));
}

TEST(StubServer, OutdatedVersionAndOtherUidAreConflicts) {
  StubServer server(kObjects, {});
  ASSERT_TRUE(server.patch(kClaim, kSelecting));
  const auto again = server.patch(kClaim, kSelecting);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(again.error().text(),
            "Operation cannot be fulfilled on persistentvolumeclaims \"c\": the object has been "
            "modified; please apply your changes to the latest version and try again");
  // Told as what it asked for, although nothing came of it.
  EXPECT_EQ(server.writes()[1].at("changes"), server.writes()[0].at("changes"));
  EXPECT_EQ(server.writes()[1].at("result"), "conflict");
  EXPECT_FALSE(server.writes()[1].as_object().contains("resultResourceVersion"));

  const auto other = server.patch(kVolume, object(R"({"metadata": {"uid": "u-other"}})"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kConflict);
}

TEST(StubServer, NamedWritesFail) {
  StubServer server(kObjects,
                    {.faults = {{.write = 0, .error = "notFound"},
                                {.write = 1, .error = "forbidden"},
                                {.write = 2, .error = "conflict"}}});
  EXPECT_EQ(server.patch(kVolume, kClaiming).error().text(),
            "persistentvolumes \"pv-1\" not found");
  EXPECT_EQ(server.patch(kVolume, kClaiming).error().text(),
            "persistentvolumes \"pv-1\" is forbidden: not allowed");
  EXPECT_EQ(server.patch(kVolume, kClaiming).error().code(), ErrorCode::kConflict);
  EXPECT_TRUE(server.patch(kVolume, kClaiming));
}

TEST(StubServer, InstantControllerFinishesAWrittenVolume) {
  StubServer server(kObjects, {.has_instant_controller = true});
  ASSERT_TRUE(server.patch(kVolume, kClaiming));
  EXPECT_EQ(server.read(kClaim)->at("spec").at("volumeName"), "pv-1");
  EXPECT_EQ(server.read(kClaim)->at("metadata").at("resourceVersion"), "10003");
  EXPECT_THAT(server.take_changed(), SizeIs(3));
  EXPECT_THAT(server.take_changed(), IsEmpty());
}

TEST(StubServer, InstantControllerProvisionsForAWrittenClaim) {
  StubServer server(kObjects, {.has_instant_controller = true});
  ASSERT_TRUE(server.patch(kClaim, kSelecting));
  const auto claim = server.read(kClaim);
  const std::string name(claim->at("spec").at("volumeName").as_string());
  const auto volume = server.read({.resource = "persistentvolumes", .ns = "", .name = name});
  ASSERT_TRUE(volume.has_value());
  EXPECT_EQ(volume->at("spec").at("claimRef").at("uid"), "u-c");
  EXPECT_EQ(server.patch(kVolume, kClaiming)->at("metadata").at("resourceVersion"), "10004");
}

}  // namespace

}  // namespace berth::vector_check
