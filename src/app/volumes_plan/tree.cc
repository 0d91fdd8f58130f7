#include "app/volumes_plan/tree.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json_text.h"

namespace berth::app {
namespace {

void indent(std::string& out, std::size_t depth) {
  out.append(depth * 2, ' ');
}

void write_json(std::string& out, const Tree& tree, std::size_t depth);

// What stands between brackets, each on a line of its own.
template <typename Item, typename Write>
void write_lines(std::string& out, const std::vector<Item>& items, std::size_t depth, Write write) {
  std::string_view before = "\n";
  for (const Item& item : items) {
    out += before;
    indent(out, depth + 1);
    write(item);
    before = ",\n";
  }
  if (!items.empty()) {
    out += '\n';
    indent(out, depth);
  }
}

void write_json(std::string& out, const Tree& tree, std::size_t depth) {
  if (tree.text) {
    api::codec::append_json_string(out, *tree.text);
  } else if (tree.number) {
    out += std::to_string(*tree.number);
  } else if (tree.list) {
    out += '[';
    write_lines(
        out, *tree.list, depth, [&](const Tree& item) { write_json(out, item, depth + 1); });
    out += ']';
  } else {
    out += '{';
    write_lines(out, tree.members, depth, [&](const Tree::Member& member) {
      api::codec::append_json_string(out, member.name);
      out += ": ";
      write_json(out, member.value, depth + 1);
    });
    out += '}';
  }
}

// Texts are in double quotes: then none of them can be taken for a number, a boolean or a comment,
// and JSON's escapes are YAML's. `is_begun`: the first line has the dash of its list already.
void write_yaml(std::string& out, const Tree& tree, std::size_t depth, bool is_begun) {
  if (tree.is_scalar() || tree.is_empty_list()) {
    write_json(out, tree, 0);
    out += '\n';
    return;
  }
  if (tree.list) {
    for (const Tree& item : *tree.list) {
      indent(out, depth);
      out += "- ";
      write_yaml(out, item, depth + 1, true);
    }
    return;
  }
  for (const Tree::Member& member : tree.members) {
    if (!is_begun) {
      indent(out, depth);
    }
    is_begun = false;
    const bool is_on_line = member.value.is_scalar() || member.value.is_empty_list();
    out += member.name + (is_on_line ? ": " : ":\n");
    write_yaml(out, member.value, member.value.list ? depth : depth + 1, false);
  }
}

}  // namespace

Tree::Tree(std::string value) : text(std::move(value)) {}
Tree::Tree(std::int64_t value) : number(value) {}
Tree::Tree(List value) : list(std::move(value)) {}
Tree::Tree(Object value) : members(std::move(value)) {}

std::string to_json(const Tree& tree) {
  std::string out;
  write_json(out, tree, 0);
  return out + "\n";
}

std::string to_yaml(const Tree& tree) {
  std::string out;
  write_yaml(out, tree, 0, false);
  return out;
}

}  // namespace berth::app
