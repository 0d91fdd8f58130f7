#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "api/objects/volume_sources.h"
#include "volumes/answer.h"
#include "volumes/limits.h"
#include "volumes/node_attachments.h"
#include "volumes/related_switches.h"
#include "volumes/testing/few_objects.h"

namespace berth::volumes {
namespace {

using few::attachment;
using few::ClaimBuilder;
using few::csi_node;
using few::csi_volume;
using few::FewObjects;
using few::PodBuilder;
using few::storage_class;

constexpr std::string_view kDriver = "csi";
constexpr std::string_view kEbs = "ebs.csi.aws.com";

std::shared_ptr<const api::Pod> shared(const PodBuilder& builder) {
  return std::make_shared<const api::Pod>(builder);
}

struct Fixture {
  Fixture() : table(objects, AttachOptions()) { table.set_node("a", 0); }

  std::int64_t count(std::size_t node = 0) const {
    return table.now().attachments(node).count(kDriver);
  }

  FewObjects objects;
  AttachTable table;
};

TEST(AttachTable, AClaimCountsFromTheMomentItExists) {
  Fixture fixture;
  fixture.objects.add(storage_class("wait", kDriver));
  fixture.table.set_pod(shared(PodBuilder("pod").on("a").claim("c")));
  EXPECT_EQ(fixture.count(), 0);
  fixture.objects.add(ClaimBuilder("c").of_class("wait"));
  fixture.table.claim_changed("default/c");
  EXPECT_EQ(fixture.count(), 1);
  fixture.objects.remove_claim("default/c");
  fixture.table.claim_changed("default/c");
  EXPECT_EQ(fixture.count(), 0);
}

TEST(AttachTable, ABindingChangesWhatIsCountedNotHowMuch) {
  Fixture fixture;
  fixture.objects.add(storage_class("wait", kDriver));
  fixture.objects.add(ClaimBuilder("c").of_class("wait"));
  fixture.table.set_pod(shared(PodBuilder("pod").on("a").claim("c")));
  fixture.objects.add(ClaimBuilder("c").of_class("wait").bound_to("pv"));
  fixture.table.claim_changed("default/c");
  EXPECT_EQ(fixture.count(), 1);
  EXPECT_FALSE(fixture.table.now().attachments(0).is_used("csi/h"))
      << "the volume is not known yet";
  fixture.objects.add(csi_volume("pv", kDriver, "h"));
  fixture.table.volume_changed("pv");
  EXPECT_EQ(fixture.count(), 1);
  EXPECT_TRUE(fixture.table.now().attachments(0).is_used("csi/h"));
  fixture.table.set_attachment(attachment("va", kDriver, "pv"));
  EXPECT_EQ(fixture.count(), 1) << "the same volume";
  fixture.table.remove_pod("uid-pod");
  EXPECT_EQ(fixture.count(), 1) << "still attached";
  fixture.table.remove_attachment("va");
  EXPECT_EQ(fixture.count(), 0);
}

TEST(AttachTable, AClassCountsFromTheMomentItExists) {
  Fixture fixture;
  fixture.objects.add(ClaimBuilder("c").of_class("wait"));
  fixture.table.set_pod(shared(PodBuilder("pod").on("a").claim("c")));
  EXPECT_EQ(fixture.count(), 0);
  fixture.objects.add(storage_class("wait", kDriver));
  fixture.table.class_changed("wait");
  EXPECT_EQ(fixture.count(), 1);
  fixture.objects.remove_class("wait");
  fixture.table.class_changed("wait");
  EXPECT_EQ(fixture.count(), 0);
}

TEST(AttachTable, AnAttachmentCountsFromTheMomentItsVolumeExists) {
  Fixture fixture;
  fixture.table.set_attachment(attachment("va", kDriver, "pv"));
  EXPECT_EQ(fixture.count(), 0);
  fixture.objects.add(csi_volume("pv", kDriver, "h"));
  fixture.table.volume_changed("pv");
  EXPECT_EQ(fixture.count(), 1);
  fixture.table.set_attachment(attachment("va", kDriver, "pv", "b"));
  EXPECT_EQ(fixture.count(), 0) << "it is on another node now";
}

TEST(AttachTable, WhatIsKnownOfANodeOutlivesItsNumber) {
  Fixture fixture;
  fixture.objects.add(csi_volume("pv", kDriver, "h"));
  fixture.objects.add(ClaimBuilder("c").bound_to("pv"));
  fixture.table.set_pod(shared(PodBuilder("pod").on("b").claim("c")));
  EXPECT_EQ(fixture.count(1), 0) << "the node has no number yet";
  fixture.table.set_node("b", 1);
  EXPECT_EQ(fixture.count(1), 1);
  fixture.table.remove_node("b");
  EXPECT_EQ(fixture.count(1), 0);
  fixture.table.set_node("c", 1);
  EXPECT_EQ(fixture.count(1), 0) << "another node got the number";
  fixture.table.set_node("b", 7);
  EXPECT_EQ(fixture.count(7), 1);
  fixture.table.set_node("b", 3);
  EXPECT_EQ(fixture.count(7), 0);
  EXPECT_EQ(fixture.count(3), 1);
  fixture.table.remove_pod("uid-pod");
  EXPECT_EQ(fixture.count(3), 0);
}

TEST(AttachTable, AViewKeepsWhatItKnew) {
  Fixture fixture;
  fixture.objects.add(csi_volume("pv", kDriver, "h"));
  fixture.objects.add(ClaimBuilder("c").bound_to("pv"));
  fixture.table.set_pod(shared(PodBuilder("pod").on("a").claim("c")));
  const AttachView view = fixture.table.view();
  fixture.table.remove_pod("uid-pod");
  fixture.table.set_csi_node(csi_node("a", {{.driver = kDriver, .count = 0}}));
  EXPECT_EQ(view.attachments(0).count(kDriver), 1);
  EXPECT_FALSE(view.attachments(0).has_csi_node());
  EXPECT_EQ(fixture.count(), 0);
}

TEST(AttachTable, RepeatedDriversOfACsiNodeHaveTheLastLimit) {
  Fixture fixture;
  fixture.table.set_csi_node(
      csi_node("a", {{.driver = kDriver, .count = 1}, {.driver = kDriver, .count = 3}}));
  EXPECT_EQ(fixture.table.now().attachments(0).find_limit(kDriver), 3);
  fixture.table.set_csi_node(csi_node("a", {}));
  EXPECT_FALSE(fixture.table.now().attachments(0).has_limits());
}

// Everything a random run has, to build a table from it anew.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint32_t seed) : random_(seed), table_(objects_, options()) {}

  void step() {
    switch (below(8)) {
      case 0:
        return change_pod();
      case 1:
        return change_claim();
      case 2:
        return change_volume();
      case 3:
        return change_class();
      case 4:
        return change_csi_node();
      case 5:
        return change_attachment();
      default:
        return below(4) == 0 ? change_node() : change_pod();
    }
  }

  std::string now() const { return describe(table_.now()); }

  std::string built_anew() const {
    AttachTable fresh(objects_, options());
    for (const auto& [name, number] : numbers_) {
      fresh.set_node(name, number);
    }
    for (const std::shared_ptr<const api::Pod>& pod : pods_) {
      fresh.set_pod(pod);
    }
    for (const auto& [name, made] : attachments_) {
      fresh.set_attachment(made);
    }
    for (const auto& [name, node] : csi_nodes_) {
      fresh.set_csi_node(node);
    }
    return describe(fresh.now());
  }

 private:
  static constexpr std::array<std::string_view, 3> kNodes = {"a", "b", "c"};

  static AttachOptions options() { return {.switches = RelatedSwitches::upstream()}; }

  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::string_view any_node() { return kNodes[below(kNodes.size())]; }
  std::string numbered(std::string_view word, std::size_t limit) {
    return fmt::format("{}-{}", word, below(limit));
  }

  void change_pod() {
    const std::string name = numbered("pod", 6);
    const std::string uid = "uid-" + name;
    const auto known =
        std::ranges::find_if(pods_, [&uid](const auto& pod) { return pod->metadata.uid == uid; });
    if (known != pods_.end()) {
      pods_.erase(known);
      return table_.remove_pod(uid);
    }
    PodBuilder pod(name);
    pod.on(any_node()).claim(numbered("claim", 4));
    if (below(2) == 0) {
      pod.claim(numbered("claim", 4));
    }
    if (below(3) == 0) {
      pod.aws(below(4) == 0 ? "aws://bad" : numbered("vol", 3));
    }
    pods_.push_back(shared(pod));
    table_.set_pod(pods_.back());
  }

  void change_claim() {
    const std::string name = numbered("claim", 4);
    ClaimBuilder claim(name);
    if (below(5) == 0) {
      objects_.remove_claim("default/" + name);
      return table_.claim_changed("default/" + name);
    }
    if (below(3) > 0) {
      claim.bound_to(numbered("pv", 4));
    }
    objects_.add(claim.of_class(numbered("class", 2)));
    table_.claim_changed("default/" + name);
  }

  void change_volume() {
    const std::string name = numbered("pv", 4);
    switch (below(3)) {
      case 0:
        objects_.remove_volume(name);
        break;
      case 1:
        objects_.add(csi_volume(name, kDriver, numbered("handle", 3)));
        break;
      default: {
        api::PersistentVolume volume;
        volume.metadata.name = name;
        volume.spec.source.aws_elastic_block_store =
            api::AWSElasticBlockStoreVolumeSource{.volume_id = numbered("vol", 3)};
        objects_.add(std::move(volume));
      }
    }
    table_.volume_changed(name);
  }

  void change_class() {
    const std::string name = numbered("class", 2);
    if (below(3) == 0) {
      objects_.remove_class(name);
    } else {
      objects_.add(storage_class(name, below(2) == 0 ? kDriver : "kubernetes.io/aws-ebs"));
    }
    table_.class_changed(name);
  }

  void change_csi_node() {
    const std::string name(any_node());
    if (below(3) == 0) {
      csi_nodes_.erase(name);
      return table_.remove_csi_node(name);
    }
    csi_nodes_[name] =
        csi_node(name, {{.driver = kDriver, .count = static_cast<std::int32_t>(below(4))}});
    table_.set_csi_node(csi_nodes_[name]);
  }

  void change_attachment() {
    const std::string name = numbered("va", 4);
    if (attachments_.erase(name) > 0 && below(2) == 0) {
      return table_.remove_attachment(name);
    }
    attachments_[name] = attachment(name, kDriver, numbered("pv", 4), any_node());
    table_.set_attachment(attachments_[name]);
  }

  void change_node() {
    const std::string name(any_node());
    if (numbers_.erase(name) > 0) {
      return table_.remove_node(name);
    }
    std::size_t number = 0;
    while (std::ranges::any_of(numbers_,
                               [number](const auto& taken) { return taken.second == number; })) {
      ++number;
    }
    numbers_[name] = number;
    table_.set_node(name, number);
  }

  // All that can be seen of it.
  static std::string describe(const AttachView& view) {
    std::string text;
    for (std::size_t number = 0; number < kNodes.size(); ++number) {
      const NodeAttachments& node = view.attachments(number);
      text += fmt::format("{}: csi {} limits {}", number, node.has_csi_node(), node.has_limits());
      for (const std::string_view driver : {kDriver, kEbs}) {
        text += fmt::format(
            " {} {}/{}", driver, node.count(driver), node.find_limit(driver).value_or(-1));
      }
      for (const std::string_view id : {"csi/handle-0", "csi/handle-1", "ebs.csi.aws.com/vol-0"}) {
        text += fmt::format(" {}{}", node.is_used(id), node.is_attached(id));
      }
      const Answer* fault = node.find_fault();
      text += fmt::format(" {}\n", fault == nullptr ? "" : fault->reasons.front());
    }
    return text;
  }

  std::mt19937 random_;
  FewObjects objects_;
  AttachTable table_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::shared_ptr<const api::Pod>> pods_;  // in the order they came
  std::map<std::string, api::CSINode> csi_nodes_;
  std::map<std::string, std::shared_ptr<const api::VolumeAttachment>> attachments_;
};

TEST(AttachTable, RandomEventsLeaveWhatAFreshTableHas) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    RandomWorld world(seed);
    for (int step = 0; step < 300; ++step) {
      world.step();
      ASSERT_EQ(world.now(), world.built_anew()) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace berth::volumes
