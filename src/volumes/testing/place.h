// A small world for tests: a catalog and the questions one asks about a pod, in one line each.
//
// It begins with the nodes n1 and n2 and the classes `wait` (delayed, provisions nothing),
// `wait-prov` (delayed, provisioned by kProvisioner) and `imm` (immediate).
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "base/assert.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/catalog.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/rules.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/testing/builders.h"
#include "volumes/view.h"

namespace berth::volumes::testing {

inline constexpr std::string_view kProvisioner = "csi.example.com";

class Place {
 public:
  Place() {
    add(node("n1"), node("n2"));
    add(storage_class("wait"),
        storage_class("wait-prov").provisioner(kProvisioner),
        storage_class("imm").immediate());
  }

  Catalog catalog;
  Switches switches;

  template <typename... Builders>
  Place& add(const Builders&... builders) {
    (add_one(*builders), ...);
    return *this;
  }

  // PreFilter.
  PodCheck check(const api::Pod& pod) const { return check_pod(catalog.view(), pod, switches); }
  Answer answer(const api::Pod& pod) const { return check(pod).answer; }

  // PreFilter and Filter. What is found for all nodes at once must say the same.
  NodeAnswer look(const api::Pod& pod, std::string_view node_name) const {
    return look_after(check(pod), node_name);
  }
  NodeAnswer look_after(PodCheck checked, std::string_view node_name) const {
    EXPECT_TRUE(checked.answer.is_success()) << ::testing::PrintToString(checked.answer.reasons);
    Search search(std::move(checked.claims), catalog.view(), switches);
    const auto number = search.view().find_node_number(node_name);
    BERTH_ASSERT(number.has_value(), "a test asks for nodes it has added");
    NodeAnswer found = search.look_at(*number);
    EXPECT_EQ(search.feasible().test(*number), found.answer.is_success()) << node_name;
    return found;
  }

  // Why the node cannot take the pod; empty when it can.
  std::vector<std::string> reasons(const api::Pod& pod, std::string_view node_name) const {
    return look(pod, node_name).answer.reasons;
  }
  // The plan, told as "claim->volume" and "claim+" for one to be provisioned.
  std::vector<std::string> plan(const api::Pod& pod, std::string_view node_name) const {
    return told(look(pod, node_name).plan);
  }

  static std::vector<std::string> told(const NodePlan& plan) {
    std::vector<std::string> lines;
    for (const StaticBinding& binding : plan.bindings) {
      lines.push_back(binding.claim->metadata.name + "->" + binding.volume->metadata.name);
    }
    for (const Provision& provision : plan.provisions) {
      lines.push_back(provision.claim->metadata.name + "+");
    }
    return lines;
  }

 private:
  template <typename Object>
  void add_one(const Object& object) {
    catalog.set(std::make_shared<const Object>(object));
  }
};

using Texts = std::vector<std::string>;

inline Texts texts(std::string_view one) {
  return {std::string(one)};
}
inline Texts texts(std::string_view one, std::string_view other) {
  return {std::string(one), std::string(other)};
}

}  // namespace berth::volumes::testing
