#include "kube/http/watch_frames.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec.h"
#include "api/codec/protobuf.h"
#include "api/objects/list.h"
#include "api/objects/meta.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "kube/client.h"

namespace berth::kube::http {
namespace {

std::string protobuf_frame(std::string_view type, std::string_view object) {
  api::WatchEvent event;
  event.type = type;
  event.object.data = object;
  const std::string message = api::codec::write_protobuf(api::WatchEvent::table(), &event);
  std::string frame;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    frame += static_cast<char>(message.size() >> shift & 0xffU);
  }
  return frame + message;
}

// What comes out when the bytes arrive in pieces of that size: "ADDED web-0" each.
std::vector<std::string> events_of(Document::Encoding encoding,
                                   std::string_view bytes,
                                   std::size_t piece) {
  WatchFrames frames(encoding);
  std::vector<std::string> told;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    frames.add(bytes.substr(at, piece));
    while (true) {
      auto event = frames.next();
      if (!event) {
        told.push_back("error " + event.error().text());
        return told;
      }
      if (!*event) {
        break;
      }
      told.push_back(std::to_string(static_cast<int>((*event)->type)) + " " +
                     std::to_string((*event)->object.bytes.size()));
    }
  }
  told.emplace_back(frames.is_between_events() ? "end" : "cut");
  return told;
}

// Found by fuzzing.
TEST(WatchFrames, AnErrorWithoutWordsSaysSo) {
  const std::string bytes = R"({"type":"ERROR","object":{"kind":"Status","code":410}})"
                            "\n";
  const std::vector<std::string> told = {
      "error the server ended the watch with status 410 and does not say why"};
  EXPECT_EQ(events_of(Document::Encoding::kJson, bytes, bytes.size()), told);
}

TEST(WatchFrames, JsonEventsAreLines) {
  const std::string bytes = R"({"type":"ADDED","object":{"a":1}})"
                            "\n"
                            R"({"type":"MODIFIED","object":{"a":12}})"
                            "\n"
                            R"({"type":"BOOKMARK","object":{}})"
                            "\n"
                            R"({"type":"DELETED","object":{"a":)";
  const std::vector<std::string> expected = {"0 7", "1 8", "3 2", "cut"};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(events_of(Document::Encoding::kJson, bytes, piece), expected) << piece;
  }
}

TEST(WatchFrames, ProtobufEventsHaveTheirLengthInFront) {
  api::Pod pod;
  pod.metadata.name = "web-0";
  const std::string object = api::to_protobuf(pod);
  const std::size_t size = api::codec::write_protobuf(api::Pod::table(), &pod).size();
  const std::string bytes = protobuf_frame("ADDED", object) + protobuf_frame("DELETED", object);
  const std::vector<std::string> expected = {
      "0 " + std::to_string(size), "2 " + std::to_string(size), "end"};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(events_of(Document::Encoding::kProtobuf, bytes, piece), expected) << piece;
  }
}

TEST(WatchFrames, AnErrorEndsTheWatchWithItsCode) {
  WatchFrames frames(Document::Encoding::kJson);
  frames.add(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",)"
             R"("message":"too old resource version","reason":"Expired","code":410}})"
             "\n");
  const auto event = frames.next();
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code(), ErrorCode::kGone);
  EXPECT_EQ(event.error().text(), "too old resource version");
}

TEST(WatchFrames, WhatIsNoEventIsAnError) {
  for (const char* line : {"no JSON\n",
                           "{}\n",
                           R"({"type":"NEWS","object":{}})"
                           "\n"}) {
    WatchFrames frames(Document::Encoding::kJson);
    frames.add(line);
    EXPECT_FALSE(frames.next()) << line;
  }
}

TEST(WatchFrames, AnEndlessEventIsCutOff) {
  WatchFrames frames(Document::Encoding::kProtobuf);
  frames.add("\xff\xff\xff\xff");
  const auto event = frames.next();
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code(), ErrorCode::kLimit);

  WatchFrames lines(Document::Encoding::kJson);
  lines.add(std::string(WatchFrames::kFrameMax + 1, ' '));
  EXPECT_FALSE(lines.next());
}

}  // namespace
}  // namespace berth::kube::http
