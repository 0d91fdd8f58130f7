#include "app/binder/bind_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rt/real/real_runtime.h"

namespace berth::app {
namespace {

std::string parsed(const std::string& text) {
  const auto endpoint = parse_bind_address(text);
  if (!endpoint) {
    return "error";
  }
  return *endpoint ? (*endpoint)->host + " " + std::to_string((*endpoint)->port) : "none";
}

TEST(BindAddress, IsReadAsOperatorsWriteIt) {
  EXPECT_EQ(parsed(":8080"), " 8080");
  EXPECT_EQ(parsed("127.0.0.1:0"), "127.0.0.1 0");
  EXPECT_EQ(parsed("[::1]:9"), "::1 9");
  EXPECT_EQ(parsed("0"), "none");
}

TEST(BindAddress, RefusesWhatIsNone) {
  for (const char* text :
       {"", "8080", ":", ":x", ":70000", "::1:8080", "localhost", "1.2.3.4:", ":-1", ": 1"}) {
    EXPECT_EQ(parsed(text), "error") << text;
  }
  EXPECT_EQ(parse_bind_address("80\n80").error().text(),
            "'80\\n80' is no address to listen on; expected :PORT, ADDRESS:PORT, [ADDRESS]:PORT or "
            "0 for none");
}

TEST(BindAddress, AnAddressThatIsTakenNamesTheFlag) {
  rt::RealRuntime runtime(1);
  const auto first = listen_on(runtime, {.host = "127.0.0.1", .port = 0}, "metrics-bind-address");
  ASSERT_TRUE(first.has_value());
  const auto second =
      listen_on(runtime, {.host = "127.0.0.1", .port = (*first)->port()}, "metrics-bind-address");
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text(),
              testing::EndsWith("; --metrics-bind-address chooses another address, 0 none"));
}

}  // namespace
}  // namespace berth::app
