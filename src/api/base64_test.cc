#include "api/base64.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace berth::api {
namespace {

TEST(Base64, WritesAndReadsTheExamplesOfTheStandard) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, KeepsEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
}

TEST(Base64, SkipsLineBreaks) {
  EXPECT_EQ(from_base64("Zm9v\nYm\r\nFy"), "foobar");
}

TEST(Base64, RefusesWhatIsIncompleteOrForeign) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Zm9v=", "Zm 9v", "Zm9-", "Zg==Zg=="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace berth::api
