// What an HTTP answer means: a document, the items of a list, or an Error.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "net/http.h"

namespace berth::kube::http {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

enum class Effect : bool { kRead, kWrite };

struct Answer {
  net::ResponseHead head;
  std::string body;

  bool is_success() const { return head.status >= 200 && head.status < 300; }
  // What its Content-Type says, whatever was asked for.
  Result<Document::Encoding> encoding() const;
};

// The code that an answer other than a success stands for, with what the server says.
Error error_of(const Answer& answer, Effect effect);
// The same of a Status in a watch, which has no HTTP answer around it.
Error error_of_status(const Document& status);

Result<Document> document_of(Answer answer);
Result<ListPage> page_of(const Answer& answer);

}  // namespace berth::kube::http
