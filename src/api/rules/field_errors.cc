#include "api/rules/field_errors.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace berth::api {
namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
  }
  return text;
}

}  // namespace

void FieldErrors::add_invalid(std::string_view path,
                              std::string_view shown,
                              std::string_view detail) {
  add(joined({path, ": Invalid value: ", shown, ": ", detail}));
}

void FieldErrors::add_unsupported(std::string_view path,
                                  std::string_view shown,
                                  std::string_view supported_values) {
  add(joined({path, ": Unsupported value: ", shown, ": supported values: ", supported_values}));
}

bool FieldErrors::add_unread() {
  if (!is_full()) {
    return false;
  }
  ++count_;
  has_dropped_ = true;
  return true;
}

void FieldErrors::add(std::string fault) {
  if (add_unread()) {
    return;
  }
  ++count_;
  // Few enough to look through: the shortest fault has some 30 bytes.
  if (std::ranges::find(faults_, fault) == faults_.end()) {
    text_len_ += fault.size();
    faults_.push_back(std::move(fault));
  }
}

std::string FieldErrors::text() const {
  if (faults_.size() == 1 && !has_dropped_) {
    return faults_.front();
  }
  std::string text;
  for (const std::string& fault : faults_) {
    text += text.empty() ? "[" : ", ";
    text += fault;
  }
  return text + (has_dropped_ ? ", and more]" : "]");
}

Error FieldErrors::error() const {
  return {ErrorCode::kInvalid, text()};
}

}  // namespace berth::api
