// A value for programs, written as JSON or YAML. Members keep their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::app {

// Exactly one of them is set: a text, a number, a list, an object.
struct Tree {
  struct Member;
  using List = std::vector<Tree>;
  using Object = std::vector<Member>;

  explicit Tree(std::string text);
  explicit Tree(std::int64_t number);
  explicit Tree(List list);
  explicit Tree(Object object);

  std::optional<std::string> text;
  std::optional<std::int64_t> number;
  std::optional<List> list;
  std::vector<Member> members;

  bool is_scalar() const { return text || number; }
  bool is_empty_list() const { return list && list->empty(); }
};

struct Tree::Member {
  std::string name;
  Tree value;
};

// Indented by two.
std::string to_json(const Tree& tree);
std::string to_yaml(const Tree& tree);

}  // namespace berth::app
