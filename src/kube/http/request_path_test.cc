#include "kube/http/request_path.h"

#include <gtest/gtest.h>

#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "kube/object_key.h"

namespace berth::kube::http {
namespace {

using api::BindRequest;
using api::Node;
using api::Pod;

TEST(RequestPath, OfKinds) {
  EXPECT_EQ(path_of(Pod::kKind, "shop"), "/api/v1/namespaces/shop/pods");
  EXPECT_EQ(path_of(Pod::kKind, ""), "/api/v1/pods");
  EXPECT_EQ(path_of(Node::kKind, ""), "/api/v1/nodes");
  EXPECT_EQ(path_of(BindRequest::kKind, "shop"),
            "/apis/scheduling.run.ai/v1alpha2/namespaces/shop/bindrequests");
}

TEST(RequestPath, OfObjects) {
  EXPECT_EQ(*path_of(Pod::kKind, {"shop", "web-0"}, ""), "/api/v1/namespaces/shop/pods/web-0");
  EXPECT_EQ(*path_of(Pod::kKind, {"shop", "web-0"}, "binding"),
            "/api/v1/namespaces/shop/pods/web-0/binding");
  EXPECT_EQ(*path_of(Node::kKind, {"", "a/b c"}, "status"), "/api/v1/nodes/a%2Fb%20c/status");
}

// An empty name would mean all objects of a namespace, and ".." something else entirely.
TEST(RequestPath, AKeyThatNamesNothingIsAnError) {
  for (const ObjectKey& key : {ObjectKey{"shop", ""},
                               ObjectKey{"", "web-0"},
                               ObjectKey{"shop", ".."},
                               ObjectKey{"shop", "."}}) {
    const auto path = path_of(Pod::kKind, key, "");
    ASSERT_FALSE(path) << *path;
    EXPECT_EQ(path.error().code(), ErrorCode::kInvalid);
  }
  EXPECT_FALSE(path_of(Node::kKind, {"shop", "node-1"}, ""));
}

TEST(RequestPath, OfLists) {
  EXPECT_EQ(list_path({.of = {.kind = &Pod::kKind}}), "/api/v1/pods");
  EXPECT_EQ(list_path({.of = {.kind = &Pod::kKind,
                              .ns = "shop",
                              .label_selector = "app in (a,b)",
                              .field_selector = "spec.nodeName="},
                       .limit = 500}),
            "/api/v1/namespaces/shop/pods?labelSelector=app%20in%20%28a%2Cb%29"
            "&fieldSelector=spec.nodeName%3D&limit=500");
}

// A version with a limit would otherwise mean exactly that version.
TEST(RequestPath, OfListsThatMustBeNewEnough) {
  EXPECT_EQ(list_path({.of = {.kind = &Node::kKind}, .resource_version = "7", .limit = 2}),
            "/api/v1/nodes?limit=2&resourceVersion=7&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(list_path({.of = {.kind = &Node::kKind},
                       .resource_version = "7",
                       .limit = 2,
                       .continue_token = "t"}),
            "/api/v1/nodes?limit=2&continue=t&resourceVersion=7");
  EXPECT_EQ(list_path({.of = {.kind = &Node::kKind}, .limit = 2, .continue_token = "t"}),
            "/api/v1/nodes?limit=2&continue=t");
}

TEST(RequestPath, OfWatches) {
  EXPECT_EQ(watch_path({.of = {.kind = &Node::kKind}, .resource_version = "7"}),
            "/api/v1/nodes?watch=true&resourceVersion=7&allowWatchBookmarks=true");
  EXPECT_EQ(watch_path({.of = {.kind = &Node::kKind}, .send_initial_events = true}),
            "/api/v1/nodes?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
            "&resourceVersionMatch=NotOlderThan");
}

TEST(RequestPath, OfCreates) {
  EXPECT_EQ(*create_path({.kind = &Pod::kKind, .key = {"shop", ""}}),
            "/api/v1/namespaces/shop/pods");
  EXPECT_EQ(
      *create_path({.kind = &Pod::kKind, .key = {"shop", "web-0"}, .subresource = "eviction"}),
      "/api/v1/namespaces/shop/pods/web-0/eviction");
  EXPECT_FALSE(create_path({.kind = &Pod::kKind}));
  EXPECT_EQ(*create_path({.kind = &Node::kKind}), "/api/v1/nodes");
  EXPECT_FALSE(create_path({.kind = &Node::kKind, .key = {"shop", ""}}));
}

}  // namespace
}  // namespace berth::kube::http
