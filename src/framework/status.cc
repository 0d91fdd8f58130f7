#include "framework/status.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace berth::framework {
namespace {

constexpr std::array<std::string_view, kCodeCount> kCodeNames{
    "Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"};

bool is_same(const std::optional<Error>& a, const std::optional<Error>& b) {
  return a.has_value() == b.has_value() &&
         (!a || (a->code() == b->code() && a->text() == b->text()));
}

}  // namespace

std::string_view name_of(Code code) {
  return kCodeNames[static_cast<std::size_t>(code)];
}

std::string Reason::text() const {
  constexpr std::string_view kPlace = "{}";
  std::string text;
  std::string_view rest = kind.text;
  for (const ReasonValue& value : values) {
    const std::size_t place = rest.find(kPlace);
    if (place == rest.npos) {
      break;
    }
    text.append(rest.substr(0, place)).append(value.text);
    rest.remove_prefix(place + kPlace.size());
  }
  return text.append(rest);
}

Status Status::of(Code code, Reason reason) {
  std::vector<Reason> reasons;
  reasons.push_back(std::move(reason));
  return {code, std::move(reasons)};
}

Status Status::error(Error error) {
  Status status(Code::kError, {});
  status.cause_ = std::move(error);
  return status;
}

Status Status::from(std::string_view plugin) && {
  plugin_ = plugin;
  return std::move(*this);
}

Status Status::with_remedy(Remedy remedy) && {
  remedy_ = remedy;
  return std::move(*this);
}

std::string Status::message() const {
  std::string message;
  if (cause_) {
    message = cause_->text();
  }
  for (const Reason& reason : reasons_) {
    message.append(message.empty() ? "" : ", ").append(reason.text());
  }
  return message;
}

std::optional<Error> Status::to_error() const {
  if (is_success() || is_wait() || is_skip()) {
    return std::nullopt;
  }
  return cause_ ? cause_ : Error(ErrorCode::kInvalid, message());
}

bool Status::operator==(const Status& other) const {
  return code_ == other.code_ && plugin_ == other.plugin_ && reasons_ == other.reasons_ &&
         is_same(cause_, other.cause_);
}

}  // namespace berth::framework
