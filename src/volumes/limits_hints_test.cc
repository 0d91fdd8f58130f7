#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "volumes/hint.h"
#include "volumes/limits.h"
#include "volumes/testing/few_objects.h"

namespace berth::volumes {
namespace {

using few::attachment;
using few::ClaimBuilder;
using few::csi_node;
using few::PodBuilder;

constexpr std::string_view kDriver = "csi";
constexpr std::string_view kEbs = "ebs.csi.aws.com";

// 11.P P19
TEST(AttachHints, ADeletedPodQueuesWhenItHeldAttachableVolumes) {
  EXPECT_EQ(limit_hint_for_deleted_pod(PodBuilder("old").on("a").claim("c")), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_deleted_pod(PodBuilder("old").on("a").aws("x")), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_deleted_pod(PodBuilder("old").on("a").ephemeral()), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_deleted_pod(PodBuilder("old").on("a")), Hint::kSkip);
  EXPECT_EQ(limit_hint_for_deleted_pod(PodBuilder("old").on("a").config_map()), Hint::kSkip);
  EXPECT_EQ(limit_hint_for_deleted_pod(PodBuilder("old").claim("c")), Hint::kSkip);
  api::Pod nominated = PodBuilder("old").claim("c");
  nominated.status.nominated_node_name = "a";
  EXPECT_EQ(limit_hint_for_deleted_pod(nominated), Hint::kQueue);
}

// 11.P P20
TEST(AttachHints, ANewClaimQueuesWhoNamesIt) {
  const api::Pod pod = PodBuilder("new").claim("c").ephemeral();
  EXPECT_EQ(limit_hint_for_new_claim(pod, ClaimBuilder("c")), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_new_claim(pod, ClaimBuilder("new-v1")), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_new_claim(pod, ClaimBuilder("d")), Hint::kSkip);
  EXPECT_EQ(limit_hint_for_new_claim(pod, ClaimBuilder("c").in("other")), Hint::kSkip);
}

// 11.P P21
TEST(AttachHints, ADeletedAttachmentQueuesWhoMightUseThePlace) {
  const std::shared_ptr<const api::VolumeAttachment> deleted = attachment("va", kEbs, "pv");
  EXPECT_EQ(limit_hint_for_deleted_attachment(PodBuilder("new").claim("c"), *deleted),
            Hint::kQueue);
  EXPECT_EQ(limit_hint_for_deleted_attachment(PodBuilder("new").aws("x"), *deleted), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_deleted_attachment(PodBuilder("new").gce("x"), *deleted), Hint::kSkip);
  EXPECT_EQ(limit_hint_for_deleted_attachment(PodBuilder("new"), *deleted), Hint::kSkip);
}

// 11.P P22
TEST(AttachHints, AHigherLimitQueues) {
  const auto node = [](std::optional<std::int32_t> count) {
    return csi_node("a", {{.driver = kDriver, .count = count}});
  };
  EXPECT_EQ(limit_hint_for_csi_node_change(node(1), node(2)), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_csi_node_change(node(std::nullopt), node(1)), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_csi_node_change(csi_node("a", {}), node(1)), Hint::kQueue);
  EXPECT_EQ(limit_hint_for_csi_node_change(node(2), node(1)), Hint::kSkip);
  EXPECT_EQ(limit_hint_for_csi_node_change(node(2), node(2)), Hint::kSkip);
  EXPECT_EQ(limit_hint_for_csi_node_change(node(2), csi_node("a", {})), Hint::kSkip);
}

}  // namespace
}  // namespace berth::volumes
