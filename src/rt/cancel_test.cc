#include "rt/cancel.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

namespace berth::rt {
namespace {

class Hook final : public CancelHook {
 public:
  explicit Hook(std::function<void()> then = {}) : then_(std::move(then)) {}
  int calls() const { return calls_; }

 private:
  void cancelled() override {
    ++calls_;
    if (then_) {
      then_();
    }
  }

  std::function<void()> then_;
  int calls_ = 0;
};

TEST(Cancel, HappensOnceAndForGood) {
  CancelSource source;
  Hook hook;
  source.token().add(hook);
  EXPECT_FALSE(source.token().is_cancelled());
  source.cancel();
  source.cancel();
  EXPECT_TRUE(source.token().is_cancelled());
  EXPECT_EQ(hook.calls(), 1);
}

TEST(Cancel, ADefaultTokenIsNeverCancelled) {
  Hook hook;
  const CancelToken token;
  token.add(hook);
  EXPECT_FALSE(token.is_cancelled());
  EXPECT_FALSE(hook.is_linked());
}

TEST(Cancel, AHookHearsOnlyOfWhatIsStillToCome) {
  CancelSource source;
  source.cancel();
  Hook hook;
  source.token().add(hook);
  source.cancel();
  EXPECT_EQ(hook.calls(), 0);
}

TEST(Cancel, GoesDownAndNotUp) {
  CancelSource root;
  CancelSource child(root.token());
  const CancelSource grandchild(child.token());
  const CancelSource other(root.token());
  child.cancel();
  EXPECT_TRUE(grandchild.is_cancelled());
  EXPECT_FALSE(root.is_cancelled());
  EXPECT_FALSE(other.is_cancelled());
  root.cancel();
  EXPECT_TRUE(other.is_cancelled());
}

TEST(Cancel, AChildOfACancelledSourceIsCancelled) {
  CancelSource root;
  root.cancel();
  const CancelSource child(root.token());
  EXPECT_TRUE(child.is_cancelled());
}

TEST(Cancel, AParentMayGoBeforeItsChildren) {
  auto root = std::make_unique<CancelSource>();
  CancelSource child(root->token());
  Hook hook;
  child.token().add(hook);
  root.reset();
  EXPECT_FALSE(child.is_cancelled());
  child.cancel();
  EXPECT_EQ(hook.calls(), 1);
}

TEST(Cancel, AChildMayGoBeforeItsParent) {
  CancelSource root;
  {
    const CancelSource child(root.token());
  }
  root.cancel();
}

TEST(Cancel, AHookMayGoBeforeItsSource) {
  CancelSource source;
  {
    Hook hook;
    source.token().add(hook);
  }
  source.cancel();
}

TEST(Cancel, ASourceMayGoBeforeItsHooks) {
  Hook hook;
  {
    CancelSource source;
    source.token().add(hook);
  }
  EXPECT_FALSE(hook.is_linked());
  EXPECT_EQ(hook.calls(), 0);
}

TEST(Cancel, AHookMayCancelAgain) {
  CancelSource source;
  Hook first([&] { source.cancel(); });
  Hook second;
  source.token().add(first);
  source.token().add(second);
  source.cancel();
  EXPECT_EQ(first.calls(), 1);
  EXPECT_EQ(second.calls(), 1);
}

TEST(Cancel, AHookMayDestroyTheNext) {
  CancelSource source;
  auto second = std::make_unique<Hook>();
  Hook first([&] { second.reset(); });
  Hook third;
  source.token().add(first);
  source.token().add(*second);
  source.token().add(third);
  source.cancel();
  EXPECT_EQ(third.calls(), 1);
}

TEST(Cancel, AHookMayDestroyTheSource) {
  auto source = std::make_unique<CancelSource>();
  Hook first([&] { source.reset(); });
  Hook second;
  source->token().add(first);
  source->token().add(second);
  source->cancel();
  EXPECT_EQ(source, nullptr);
  EXPECT_EQ(second.calls(), 1);
}

TEST(Cancel, AHookMayAddOneInVain) {
  CancelSource source;
  Hook late;
  Hook first([&] { source.token().add(late); });
  source.token().add(first);
  source.cancel();
  EXPECT_EQ(late.calls(), 0);
}

}  // namespace
}  // namespace berth::rt
