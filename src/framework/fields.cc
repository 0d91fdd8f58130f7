#include "framework/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/rules/quoted.h"
#include "api/yaml_nodes.h"
#include "api/yaml_scalar.h"

namespace berth::framework {
namespace {

using api::YamlScalar;
using api::yaml::Node;

// What an unquoted word means; a quoted one is a text.
YamlScalar::Type type_of(const Node& node) {
  return node.is_plain ? api::resolve_yaml_scalar(node.text).type : YamlScalar::Type::kString;
}

std::string_view name_of(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kScalar:
      return "a value";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMapping:
      return "a mapping";
  }
  return "";
}

// Aliases can make a document its own member; deeper than this it says nothing new.
constexpr int kDepthMax = 32;

bool is_same_value(const ConfigValue& a, const ConfigValue& b, int depth_left) {
  const Node& left = a.node();
  const Node& right = b.node();
  if (depth_left == 0 || left.kind != right.kind || left.text != right.text ||
      a.child_count() != b.child_count()) {
    return false;
  }
  for (std::size_t i = 0; i < a.child_count(); ++i) {
    if (!is_same_value(a.child(i), b.child(i), depth_left - 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void Problems::add(std::size_t line, std::string_view path, std::string_view what) {
  ++count_;
  if (kept_.size() < kKeptMax) {
    kept_.push_back({.line = line,
                     .text = path.empty() ? std::string(what) : fmt::format("{}: {}", path, what)});
  }
}

std::vector<Problem> Problems::sorted() const {
  std::vector<Problem> sorted = kept_;
  std::ranges::sort(sorted, [](const Problem& a, const Problem& b) {
    return std::tie(a.line, a.text) < std::tie(b.line, b.text);
  });
  return sorted;
}

bool ConfigValue::is_null() const {
  return node().kind == Node::Kind::kScalar && type_of(node()) == YamlScalar::Type::kNull;
}

bool is_same(const ConfigValue& a, const ConfigValue& b) {
  return is_same_value(a, b, kDepthMax);
}

Fields::Fields(ConfigValue value, std::string path, Problems& problems)
    : value_(std::move(value)), path_(std::move(path)), problems_(&problems) {
  if (value_.node().kind != Node::Kind::kMapping) {
    complain("", fmt::format("is {}, not a mapping of fields", name_of(value_.node().kind)));
    return;
  }
  for (std::size_t i = 0; i + 1 < value_.child_count(); i += 2) {
    const Node& key = value_.child(i).node();
    if (key.kind != Node::Kind::kScalar) {
      problems_->add(key.line, path_, "the name of a field is not a word");
      continue;
    }
    if (std::ranges::find(members_, key.text, &Member::name) != members_.end()) {
      problems_->add(key.line, path_to(key.text), "stands twice");
      continue;
    }
    members_.push_back({.name = key.text, .value = value_.child(i + 1), .line = key.line});
  }
}

bool Fields::has(std::string_view name) {
  return ask(name) != nullptr;
}

std::string Fields::text(std::string_view name, std::string_view otherwise) {
  const Member* member = ask(name);
  if (member == nullptr) {
    return std::string(otherwise);
  }
  const Node& node = member->value.node();
  if (node.kind == Node::Kind::kScalar && type_of(node) == YamlScalar::Type::kString) {
    return node.text;
  }
  complain(name, "is not a text");
  return std::string(otherwise);
}

std::int64_t Fields::integer(std::string_view name, std::int64_t otherwise, Range range) {
  const Member* member = ask(name);
  if (member == nullptr) {
    return otherwise;
  }
  const Node& node = member->value.node();
  if (node.kind == Node::Kind::kScalar && node.is_plain) {
    const YamlScalar scalar = api::resolve_yaml_scalar(node.text);
    std::int64_t number = 0;
    const char* end = scalar.text.data() + scalar.text.size();
    const auto read = std::from_chars(scalar.text.data(), end, number);
    if (scalar.type == YamlScalar::Type::kInteger && read.ptr == end && read.ec == std::errc()) {
      if (number < range.min || number > range.max) {
        complain(name, fmt::format("{} is not between {} and {}", number, range.min, range.max));
      }
      return number;
    }
  }
  complain(name, "is not a whole number");
  return otherwise;
}

bool Fields::boolean(std::string_view name, bool otherwise) {
  const Member* member = ask(name);
  if (member == nullptr) {
    return otherwise;
  }
  const Node& node = member->value.node();
  if (node.kind == Node::Kind::kScalar && type_of(node) == YamlScalar::Type::kBool) {
    return api::resolve_yaml_scalar(node.text).text == "true";
  }
  complain(name, "is not true or false");
  return otherwise;
}

std::optional<Fields> Fields::object(std::string_view name) {
  const Member* member = ask(name);
  if (member == nullptr) {
    return std::nullopt;
  }
  return Fields(member->value, path_to(name), *problems_);
}

std::vector<Fields> Fields::objects(std::string_view name) {
  std::vector<Fields> objects;
  for (std::size_t i = 0; const ConfigValue& element : elements(name)) {
    objects.emplace_back(element, fmt::format("{}[{}]", path_to(name), i++), *problems_);
  }
  return objects;
}

std::vector<std::string> Fields::texts(std::string_view name) {
  std::vector<std::string> texts;
  for (const ConfigValue& element : elements(name)) {
    const Node& node = element.node();
    if (node.kind == Node::Kind::kScalar && type_of(node) == YamlScalar::Type::kString) {
      texts.push_back(node.text);
    } else {
      problems_->add(node.line, path_to(name), "an element is not a text");
    }
  }
  return texts;
}

std::optional<ConfigValue> Fields::value(std::string_view name) {
  const Member* member = ask(name);
  return member != nullptr ? std::optional(member->value) : std::nullopt;
}

void Fields::complain(std::string_view name, std::string_view what) {
  problems_->add(line_of(name), name.empty() ? path_ : path_to(name), what);
}

void Fields::finish() {
  for (const Member& member : members_) {
    if (!member.is_asked_for) {
      problems_->add(member.line, path_to(member.name), "there is no such field");
    }
  }
}

std::size_t Fields::line_of(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found != members_.end() ? found->line : value_.line();
}

std::string Fields::path_to(std::string_view name) const {
  const std::string shown = api::shown(name);
  return path_.empty() ? shown : fmt::format("{}.{}", path_, shown);
}

Fields::Member* Fields::ask(std::string_view name) {
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found == members_.end()) {
    return nullptr;
  }
  found->is_asked_for = true;
  return found->value.is_null() ? nullptr : &*found;
}

std::vector<ConfigValue> Fields::elements(std::string_view name) {
  std::vector<ConfigValue> elements;
  const Member* member = ask(name);
  if (member == nullptr) {
    return elements;
  }
  if (member->value.node().kind != Node::Kind::kSequence) {
    complain(name, "is not a list");
    return elements;
  }
  for (std::size_t i = 0; i < member->value.child_count(); ++i) {
    elements.push_back(member->value.child(i));
  }
  return elements;
}

}  // namespace berth::framework
