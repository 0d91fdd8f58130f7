#include "kube/config/server_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace berth::kube::config {
namespace {

using testing::HasSubstr;

std::string text_of(std::string_view url) {
  const auto parsed = parse_server_url(url);
  return parsed ? parsed->text() : parsed.error().text();
}

TEST(ServerUrl, IsReadWithWhatItLeavesOut) {
  EXPECT_EQ(text_of("https://127.0.0.1:6443"), "https://127.0.0.1:6443");
  EXPECT_EQ(text_of("https://api.example.com"), "https://api.example.com:443");
  EXPECT_EQ(text_of("http://localhost"), "http://localhost:80");
  EXPECT_EQ(text_of("api.example.com:6443"), "https://api.example.com:6443");
  EXPECT_EQ(text_of("https://[::1]:6443/"), "https://[::1]:6443");
  EXPECT_EQ(text_of("https://[fe80::1]"), "https://[fe80::1]:443");
  EXPECT_EQ(text_of("https://h/k8s/clusters/c-1//"), "https://h:443/k8s/clusters/c-1");
}

TEST(ServerUrl, WhatIsNoneIsRefused) {
  for (const std::string_view url : {"",
                                     "https://",
                                     "https://:6443",
                                     "https://h:0",
                                     "https://h:65536",
                                     "https://h:+1",
                                     "https://h:",
                                     "https://h:6443x",
                                     "https://[::1",
                                     "https://[]:1",
                                     "https://[::1]x",
                                     "https://[::1%25eth0]:1",
                                     "https://me:secret@h",
                                     "https://h?x=1",
                                     "https://h/#a",
                                     "https://h h",
                                     "https://h\n",
                                     "ftp://h",
                                     "unix:///run/x",
                                     "https://h\xc3\xa9"}) {
    EXPECT_THAT(text_of(url), HasSubstr("is no address of a server")) << url;
  }
  EXPECT_THAT(text_of("https://h/" + std::string(3000, 'x')), HasSubstr("too long"));
}

TEST(ServerUrl, KnowsWhatStaysOnThisMachine) {
  for (const std::string_view url :
       {"http://127.0.0.1", "http://127.8.8.8", "localhost", "[::1]"}) {
    EXPECT_TRUE(parse_server_url(url)->is_loopback()) << url;
  }
  for (const std::string_view url :
       {"http://127.example.com", "10.0.0.1", "[::2]", "localhost.x"}) {
    EXPECT_FALSE(parse_server_url(url)->is_loopback()) << url;
  }
}

}  // namespace
}  // namespace berth::kube::config
