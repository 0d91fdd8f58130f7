#include "kube/config/real_surroundings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/error.h"

namespace berth::kube::config {
namespace {

TEST(RealSurroundings, ReadsVariables) {
  const RealSurroundings surroundings;
  EXPECT_TRUE(surroundings.variable("PATH"));
  EXPECT_FALSE(surroundings.variable("BERTH_NO_SUCH_VARIABLE"));
}

TEST(RealSurroundings, ReadsFilesUpToASize) {
  const RealSurroundings surroundings;
  const std::string path = testing::TempDir() + "/berth_surroundings_test";
  std::ofstream(path) << "text";
  EXPECT_EQ(*surroundings.read(path, 4), "text");
  EXPECT_EQ(surroundings.read(path, 3).error().code(), ErrorCode::kLimit);
  EXPECT_EQ(surroundings.read(path + "/x", 10).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(surroundings.read("/no/such/file", 10).error().text(),
            "cannot be opened: No such file or directory");
  EXPECT_EQ(surroundings.read(testing::TempDir(), 10).error().code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace berth::kube::config
