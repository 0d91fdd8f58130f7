#include "cli/crds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/exit_code.h"

namespace berth::cli {
namespace {

TEST(Crds, AreWhatTheFolderHolds) {
  std::ostringstream out;
  EXPECT_EQ(print_crds(out), ExitCode::kDone);
  EXPECT_THAT(out.str(), testing::HasSubstr("name: bindrequests.scheduling.run.ai\n"));
  EXPECT_THAT(out.str(), testing::HasSubstr("\nkind: CustomResourceDefinition\n"));
}

}  // namespace
}  // namespace berth::cli
