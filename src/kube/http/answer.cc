#include "kube/http/answer.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/json_items.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_cursor.h"
#include "api/objects/meta.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "api/text.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/failure.h"
#include "net/http.h"

namespace berth::kube::http {
namespace {

using api::shown;
using api::codec::ProtobufCursor;
using api::codec::WireType;
using std::chrono::seconds;

constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr int kGone = 410;
constexpr int kRequestTimeout = 408;
constexpr int kTooLarge = 413;
constexpr int kMisdirected = 421;
constexpr int kUnprocessable = 422;
constexpr int kTooManyRequests = 429;
constexpr int kServerError = 500;
constexpr int kUnavailable = 503;
constexpr int kTimeout = 504;

std::optional<api::Status> read_status(const Document& document) {
  api::Status status;
  const api::codec::Expected expected{.api_version = "v1", .kind = "Status"};
  if (document.encoding == Document::Encoding::kJson) {
    api::codec::JsonReader reader;
    const auto read = reader.read(document.bytes, expected, api::Status::table(), &status, nullptr);
    return read ? std::optional(std::move(status)) : std::nullopt;
  }
  const auto read = api::codec::read_protobuf(
      document.bytes, expected.kind, api::Status::table(), &status, nullptr);
  return read ? std::optional(std::move(status)) : std::nullopt;
}

std::optional<api::Status> status_of(const Answer& answer) {
  auto document = document_of(answer);
  return document ? read_status(*document) : std::nullopt;
}

// `is_told`: a Status says so, and not whatever stands before the server.
ErrorCode code_of_client_error(int http, std::string_view reason, bool is_told) {
  switch (http) {
    case kUnauthorized:
      return ErrorCode::kUnauthorized;
    case kForbidden:
      return ErrorCode::kForbidden;
    case kNotFound:
      return ErrorCode::kNotFound;
    case kConflict:
      return reason == "AlreadyExists" ? ErrorCode::kExists : ErrorCode::kConflict;
    case kGone:
      return ErrorCode::kGone;
    case kTooManyRequests:
      return ErrorCode::kTooManyRequests;
    case kTooLarge:
      return is_told ? ErrorCode::kLimit : ErrorCode::kUnavailable;
    case kBadRequest:
    case kUnprocessable:
      return is_told ? ErrorCode::kInvalid : ErrorCode::kUnavailable;
    case kRequestTimeout:
    case kMisdirected:
      return ErrorCode::kUnavailable;
    default:
      // Where it sends us elsewhere, or something before it does not like us, nothing was done.
      return is_told && http >= kBadRequest ? ErrorCode::kInvalid : ErrorCode::kServerError;
  }
}

ErrorCode code_of_server_error(int http, Effect effect, bool says_when) {
  if (http == kUnavailable && says_when) {
    return ErrorCode::kUnavailable;  // turned away at the door
  }
  if (effect == Effect::kWrite) {
    return ErrorCode::kUnknownOutcome;
  }
  switch (http) {
    case kUnavailable:
      return ErrorCode::kUnavailable;
    case kTimeout:
      return ErrorCode::kTimeout;
    default:
      return ErrorCode::kServerError;
  }
}

std::optional<seconds> retry_after_of(const net::Headers& headers) {
  const auto value = net::find_header(headers, "retry-after");
  std::int32_t number = 0;
  if (!value ||
      std::from_chars(value->data(), value->data() + value->size(), number).ec != std::errc{} ||
      number < 0) {
    return std::nullopt;
  }
  return seconds(number);
}

bool is_page(const Answer& answer) {
  const auto type = net::find_header(answer.head.headers, "content-type").value_or("");
  return type.starts_with("text/html") || api::trimmed(answer.body).starts_with('<');
}

// The metadata of a list whose items were taken out.
struct ListHead {
  api::ListMeta metadata;

  static const api::Table& table() {
    static const api::Table table{api::field("metadata", 1, &ListHead::metadata)};
    return table;
  }
};

Result<ListPage> json_page(std::string_view body) {
  const auto cut = api::codec::cut_json_items(body);
  const std::string_view envelope = cut ? std::string_view(cut->envelope) : body;
  ListHead head;
  api::codec::JsonReader reader;
  auto read = reader.read(envelope, {}, ListHead::table(), &head, nullptr);
  if (!read) {
    return std::move(read).error();
  }
  ListPage page{.resource_version = std::move(head.metadata.resource_version),
                .continue_token = std::move(head.metadata.continue_token)};
  if (cut) {
    page.items.reserve(cut->items.size());
    for (const std::string_view item : cut->items) {
      page.items.push_back({Document::Encoding::kJson, std::string(item)});
    }
  }
  return page;
}

// A list is a message of metadata (1) and items (2).
Result<ListPage> protobuf_page(std::string_view body) {
  const Error malformed(ErrorCode::kInvalid, "the list is malformed protobuf");
  auto envelope = api::codec::open_envelope(body);
  if (!envelope) {
    return std::move(envelope).error();
  }
  constexpr std::uint32_t kItems = 2;
  ListHead head;
  auto read = api::codec::read_protobuf(
      envelope->message, envelope->kind, ListHead::table(), &head, nullptr);
  if (!read) {
    return std::move(read).error();
  }
  ListPage page{.resource_version = std::move(head.metadata.resource_version),
                .continue_token = std::move(head.metadata.continue_token)};
  ProtobufCursor message(envelope->message);
  while (!message.is_at_end()) {
    std::uint32_t number = 0;
    WireType wire_type{};
    if (!message.take_key(number, wire_type)) {
      return malformed;
    }
    std::string_view item;
    if (number != kItems) {
      if (!message.skip(wire_type)) {
        return malformed;
      }
    } else if (wire_type == WireType::kBytes && message.take_bytes(item)) {
      page.items.push_back({Document::Encoding::kProtobuf, std::string(item)});
    } else {
      return malformed;
    }
  }
  return page;
}

}  // namespace

Result<Document::Encoding> Answer::encoding() const {
  const std::string_view type = net::find_header(head.headers, "content-type").value_or("");
  if (type.starts_with(kJson)) {
    return Document::Encoding::kJson;
  }
  if (type.starts_with(kProtobuf)) {
    return Document::Encoding::kProtobuf;
  }
  return Error(ErrorCode::kInvalid,
               fmt::format("the server answered with '{}', which is no answer of Kubernetes: {}",
                           shown(type),
                           shown(body)))
      .with_reason(failure::kNotKubernetes);
}

Error error_of(const Answer& answer, Effect effect) {
  const auto status = status_of(answer);
  const auto delay = retry_after_of(answer.head.headers);
  const int http = answer.head.status;
  const std::string_view reason = status ? std::string_view(status->reason) : "";
  const bool is_from_proxy = !status && is_page(answer);
  ErrorCode code = http >= kServerError ? code_of_server_error(http, effect, delay.has_value())
                                        : code_of_client_error(http, reason, status.has_value());
  // What a page says is no verdict of the server, except that somebody does not know us.
  if (is_from_proxy && http < kServerError && http != kUnauthorized && http != kTooManyRequests) {
    code = ErrorCode::kUnavailable;
  }
  std::string text = status && !status->message.empty()
                         ? status->message
                         : fmt::format("HTTP status {}: {}", http, shown(answer.body));
  Error error(code, std::move(text));
  // Servers refuse with a Status or a line of text.
  if (is_from_proxy) {
    error = std::move(error).with_reason(failure::kNotKubernetes);
  }
  return delay ? std::move(error).with_retry_after(*delay) : error;
}

Error error_of_status(const Document& document) {
  const auto status = read_status(document);
  if (!status) {
    return {ErrorCode::kServerError, "the server ended the watch with an error nobody can read"};
  }
  const ErrorCode code = status->code >= kServerError || status->code < kBadRequest
                             ? ErrorCode::kServerError
                             : code_of_client_error(status->code, status->reason, true);
  Error error(code,
              status->message.empty()
                  ? fmt::format("the server ended the watch with status {} and does not say why",
                                status->code)
                  : status->message);
  if (status->details && status->details->retry_after_seconds > 0) {
    return std::move(error).with_retry_after(seconds(status->details->retry_after_seconds));
  }
  return error;
}

Result<Document> document_of(Answer answer) {
  auto encoding = answer.encoding();
  if (!encoding) {
    return std::move(encoding).error();
  }
  if (*encoding == Document::Encoding::kJson) {
    return Document{*encoding, std::move(answer.body)};
  }
  auto envelope = api::codec::open_envelope(answer.body);
  if (!envelope) {
    return std::move(envelope).error();
  }
  return Document{*encoding, std::string(envelope->message)};
}

Result<ListPage> page_of(const Answer& answer) {
  auto encoding = answer.encoding();
  if (!encoding) {
    return std::move(encoding).error();
  }
  return *encoding == Document::Encoding::kJson ? json_page(answer.body)
                                                : protobuf_page(answer.body);
}

}  // namespace berth::kube::http
