// For tests: a harbour with a node, a pod and an order for it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "binder/harbour.h"

namespace berth::binder {

class BinderTest : public testing::Test {
 protected:
  void fill() {
    harbour_.make_node("n1");
    harbour_.make_pod("a");
    harbour_.order("a", "n1");
  }
  // What becomes of the first call of that name.
  void once(const std::string& call, const Fate& fate) {
    harbour_.client().fate = [call, fate, left = 1](const std::string& made) mutable {
      return made == call && left-- > 0 ? fate : Fate{};
    };
  }
  void always(const std::string& call, const Fate& fate) {
    harbour_.client().fate = [call, fate](const std::string& made) {
      return made == call ? fate : Fate{};
    };
  }
  std::string phase() { return harbour_.order_of("a").status.phase; }
  std::string reason() { return harbour_.order_of("a").status.reason; }

  Harbour harbour_;
};

}  // namespace berth::binder
