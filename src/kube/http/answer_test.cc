#include "kube/http/answer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/codec/protobuf.h"
#include "api/objects/list.h"
#include "api/objects/meta.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "kube/client.h"
#include "kube/failure.h"
#include "net/http.h"

namespace berth::kube::http {
namespace {

Answer json(int status, std::string body) {
  return {.head = {.status = status, .headers = {{"content-type", "application/json"}}},
          .body = std::move(body)};
}

Answer refusal(int code, std::string_view reason) {
  api::Status status;
  status.status = "Failure";
  status.reason = reason;
  status.message = "because";
  status.code = code;
  return json(code, api::to_json(status));
}

ErrorCode read_code(int code, std::string_view reason = "") {
  return error_of(refusal(code, reason), Effect::kRead).code();
}
ErrorCode write_code(int code, std::string_view reason = "") {
  return error_of(refusal(code, reason), Effect::kWrite).code();
}

TEST(Answer, RefusalsHaveTheirCodes) {
  EXPECT_EQ(read_code(400, "BadRequest"), ErrorCode::kInvalid);
  EXPECT_EQ(read_code(401, "Unauthorized"), ErrorCode::kUnauthorized);
  EXPECT_EQ(read_code(403, "Forbidden"), ErrorCode::kForbidden);
  EXPECT_EQ(read_code(404, "NotFound"), ErrorCode::kNotFound);
  EXPECT_EQ(write_code(409, "Conflict"), ErrorCode::kConflict);
  EXPECT_EQ(write_code(409, "AlreadyExists"), ErrorCode::kExists);
  EXPECT_EQ(read_code(410, "Expired"), ErrorCode::kGone);
  EXPECT_EQ(write_code(413, "RequestEntityTooLarge"), ErrorCode::kLimit);
  EXPECT_EQ(write_code(422, "Invalid"), ErrorCode::kInvalid);
  EXPECT_EQ(write_code(429, "TooManyRequests"), ErrorCode::kTooManyRequests);
  EXPECT_EQ(error_of(refusal(404, "NotFound"), Effect::kRead).text(), "because");
}

// Final is only what a server says in its own words.
TEST(Answer, WhatSomethingInBetweenRefusesIsNoVerdict) {
  const auto page_code = [](int code, const char* type) {
    return error_of({.head = {.status = code, .headers = {{"content-type", type}}},
                     .body = "<html>no</html>"},
                    Effect::kWrite)
        .code();
  };
  for (const int code : {400, 403, 404, 405, 408, 409, 410, 413, 414, 421, 422, 431}) {
    EXPECT_EQ(page_code(code, "text/html"), ErrorCode::kUnavailable) << code;
  }
  EXPECT_EQ(page_code(401, "text/html"), ErrorCode::kUnauthorized);
  EXPECT_EQ(page_code(429, "text/html"), ErrorCode::kTooManyRequests);

  const auto text_code = [](int code) {
    return error_of({.head = {.status = code, .headers = {{"content-type", "text/plain"}}},
                     .body = "no\n"},
                    Effect::kWrite)
        .code();
  };
  for (const int code : {400, 413, 422}) {
    EXPECT_EQ(text_code(code), ErrorCode::kUnavailable) << code;
  }
  // As an API server says it of a path it does not have.
  EXPECT_EQ(text_code(404), ErrorCode::kNotFound);
}

TEST(Answer, WhatIsNoRefusalOfTheRequestMayWorkLater) {
  for (const int code : {408, 421}) {
    EXPECT_EQ(write_code(code), ErrorCode::kUnavailable) << code;
  }
  for (const int code : {301, 302, 307, 308}) {
    EXPECT_EQ(write_code(code), ErrorCode::kServerError) << code;
    EXPECT_EQ(read_code(code), ErrorCode::kServerError) << code;
  }
}

TEST(Answer, WhatAServerSaysInItsOwnWordsItWillSayAgain) {
  for (const int code : {405, 406, 415, 418}) {
    EXPECT_EQ(write_code(code), ErrorCode::kInvalid) << code;
    EXPECT_EQ(read_code(code), ErrorCode::kInvalid) << code;
  }
}

TEST(Answer, AFailureOfTheServerLeavesAWriteUnknown) {
  for (const int code : {500, 502, 503, 504}) {
    EXPECT_EQ(write_code(code), ErrorCode::kUnknownOutcome) << code;
  }
  EXPECT_EQ(read_code(500), ErrorCode::kServerError);
  EXPECT_EQ(read_code(503), ErrorCode::kUnavailable);
  EXPECT_EQ(read_code(504), ErrorCode::kTimeout);
}

TEST(Answer, WhoIsTurnedAwayAtTheDoorIsToldWhenToComeBack) {
  Answer busy = refusal(429, "TooManyRequests");
  busy.head.headers.push_back({"retry-after", "7"});
  EXPECT_EQ(error_of(busy, Effect::kWrite).retry_after(), std::chrono::seconds(7));

  Answer closed = refusal(503, "ServiceUnavailable");
  closed.head.headers.push_back({"retry-after", "1"});
  EXPECT_EQ(error_of(closed, Effect::kWrite).code(), ErrorCode::kUnavailable);

  for (const char* value : {"soon", "-1", "", "99999999999999"}) {
    Answer odd = refusal(429, "TooManyRequests");
    odd.head.headers.push_back({"retry-after", value});
    EXPECT_EQ(error_of(odd, Effect::kRead).retry_after().count(), 0) << value;
  }
}

TEST(Answer, APageOfAProxyIsToldByItsBeginning) {
  const Answer page{.head = {.status = 502, .headers = {{"content-type", "text/html"}}},
                    .body = "<html>\n<h1>Bad Gateway\x1b</h1>" + std::string(5000, 'x')};
  const Error error = error_of(page, Effect::kRead);
  EXPECT_EQ(error.code(), ErrorCode::kServerError);
  EXPECT_EQ(error.text().substr(0, 50), R"(HTTP status 502: <html>\n<h1>Bad Gateway\x1b</h1>x)");
  EXPECT_LT(error.text().size(), 120U);

  const Answer odd{.head = {.status = 200, .headers = {{"content-type", "text/html"}}},
                   .body = "<html>"};
  const auto document = document_of(odd);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().text(),
            "the server answered with 'text/html', which is no answer of Kubernetes: <html>");
  EXPECT_EQ(odd.encoding().error().reason(), failure::kNotKubernetes);
  EXPECT_EQ(error.reason(), failure::kNotKubernetes);
}

TEST(Answer, ListsAreCutIntoTheirItems) {
  const auto page = page_of(json(200,
                                 R"({"kind":"PodList","apiVersion":"v1","metadata":{)"
                                 R"("resourceVersion":"9","continue":"t"},"items":[{"a":1},{}]})"));
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->continue_token, "t");
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->items[0].bytes, R"({"a":1})");
  EXPECT_EQ(page->items[1].encoding, Document::Encoding::kJson);
}

TEST(Answer, ListsWithoutItemsAreEmpty) {
  for (const char* body : {R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[]})",
                           R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":null})",
                           R"({"kind":"PodList","metadata":{"resourceVersion":"9"}})"}) {
    const auto page = page_of(json(200, body));
    ASSERT_TRUE(page) << page.error().text();
    EXPECT_EQ(page->resource_version, "9");
    EXPECT_TRUE(page->items.empty());
  }
}

TEST(Answer, ProtobufListsToo) {
  api::List<api::Pod> pods;
  pods.metadata.resource_version = "9";
  pods.metadata.continue_token = "t";
  pods.items.resize(2);
  pods.items[1].metadata.name = "web-1";
  const Answer answer{
      .head = {.status = 200, .headers = {{"content-type", "application/vnd.kubernetes.protobuf"}}},
      .body = api::to_protobuf(pods)};
  const auto page = page_of(answer);
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->continue_token, "t");
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->items[1].encoding, Document::Encoding::kProtobuf);
  EXPECT_EQ(page->items[1].bytes, api::codec::write_protobuf(api::Pod::table(), &pods.items[1]));

  Answer cut = answer;
  cut.body.resize(cut.body.size() - 3);
  EXPECT_FALSE(page_of(cut));
}

}  // namespace
}  // namespace berth::kube::http
