// The nodes of a YAML text become JSON text.
#include "api/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base64.h"
#include "api/codec/json_text.h"
#include "api/codec/reading.h"
#include "api/rules/quoted.h"
#include "api/yaml_nodes.h"
#include "api/yaml_scalar.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "base/result.h"

namespace berth::api {
namespace {

using codec::append_json_string;
using codec::kDepthMax;
using yaml::at_line;
using yaml::Node;
using yaml::too_deep;

// What the documents of a text may still become.
struct Budget {
  std::size_t json_left;
  std::size_t values_left;
  bool is_spent = false;
};

// Writes the JSON of a document's nodes.
class Renderer {
 public:
  Renderer(const std::vector<Node>& nodes, Budget& budget) : nodes_(nodes), budget_(budget) {}

  Result<std::string> render() {
    if (auto written = write(nodes_.front(), kDepthMax); !written) {
      return std::move(written).error();
    }
    budget_.json_left -= std::min(budget_.json_left, out_.size());
    return std::move(out_);
  }

 private:
  using Member = std::pair<std::string, const Node*>;

  Result<void> write(const Node& node, int depth_left) {
    // Aliases may nest what was flat when it was read, or hold themselves.
    if (depth_left <= 0) {
      return too_deep(node.line);
    }
    if (auto affordable = work(node); !affordable) {
      return affordable;
    }
    switch (node.kind) {
      case Node::Kind::kScalar:
        return write_scalar(node);
      case Node::Kind::kSequence:
        return write_sequence(node, depth_left);
      case Node::Kind::kMapping:
        return write_mapping(node, depth_left);
    }
    return Error(ErrorCode::kInternal, "unknown YAML node");
  }

  // Counts the values that were looked at: merge keys can make many of few without writing any.
  Result<void> work(const Node& node) {
    if (out_.size() <= budget_.json_left && budget_.values_left > 0) {
      --budget_.values_left;
      return {};
    }
    budget_.is_spent = true;
    return Error(ErrorCode::kLimit,
                 fmt::format("line {}: aliases expand to far more than the text holds", node.line));
  }

  // What a scalar means, its tag considered.
  static Result<YamlScalar> resolve(const Node& node) {
    if (node.tag == Node::Tag::kBinary) {
      auto bytes = from_base64(node.text);
      if (!bytes) {
        return at_line(node.line, "!!binary value is not base64");
      }
      return YamlScalar{YamlScalar::Type::kString, *std::move(bytes)};
    }
    const std::string_view asked = type_asked_for(node.tag);
    const bool is_untyped = node.tag == Node::Tag::kNone && node.is_plain;
    if (!is_untyped && asked.empty()) {
      return YamlScalar{YamlScalar::Type::kString, node.text};
    }
    YamlScalar scalar = resolve_yaml_scalar(node.text);
    if (scalar.type == YamlScalar::Type::kNotFinite) {
      return at_line(node.line, fmt::format("{} cannot be written as JSON", node.text));
    }
    const bool is_float = scalar.type == YamlScalar::Type::kInteger && asked == "float";
    if (!asked.empty() && !is_float && asked != name_of(scalar.type)) {
      return at_line(node.line, fmt::format("'{}' is not a !!{}", shown(node.text), asked));
    }
    return scalar;
  }

  // Empty for a tag that asks for none of the types a word can have.
  static std::string_view type_asked_for(Node::Tag tag) {
    switch (tag) {
      case Node::Tag::kBool:
        return "bool";
      case Node::Tag::kInt:
        return "int";
      case Node::Tag::kFloat:
        return "float";
      case Node::Tag::kNull:
        return "null";
      case Node::Tag::kNone:
      case Node::Tag::kBinary:
      case Node::Tag::kOther:
        return "";
    }
    return "";
  }

  static std::string_view name_of(YamlScalar::Type type) {
    switch (type) {
      case YamlScalar::Type::kNull:
        return "null";
      case YamlScalar::Type::kBool:
        return "bool";
      case YamlScalar::Type::kInteger:
        return "int";
      case YamlScalar::Type::kFloat:
      case YamlScalar::Type::kNotFinite:
        return "float";
      case YamlScalar::Type::kString:
        return "str";
    }
    return "";
  }

  Result<void> write_scalar(const Node& node) {
    BERTH_TRY(const YamlScalar scalar, resolve(node));
    if (scalar.type == YamlScalar::Type::kString) {
      append_json_string(out_, scalar.text);
    } else {
      out_ += scalar.text;
    }
    return {};
  }

  Result<void> write_sequence(const Node& node, int depth_left) {
    out_ += '[';
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      out_ += i > 0 ? "," : "";
      if (auto written = write(nodes_[node.children[i]], depth_left - 1); !written) {
        return written;
      }
    }
    out_ += ']';
    return {};
  }

  Result<void> write_mapping(const Node& node, int depth_left) {
    BERTH_TRY(const auto members, members_of(node, depth_left));
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      out_ += i > 0 ? "," : "";
      append_json_string(out_, members[i].first);
      out_ += ':';
      if (auto written = write(*members[i].second, depth_left - 1); !written) {
        return written;
      }
    }
    out_ += '}';
    return {};
  }

  static bool is_merge_key(const Node& key) {
    return key.kind == Node::Kind::kScalar && key.is_plain && key.tag == Node::Tag::kNone &&
           key.text == "<<";
  }

  // The members of a mapping, own ones first, then those it merges. Each mapping that is merged
  // pays for itself and for its keys: it may be merged many times and bring nothing.
  Result<std::vector<Member>> members_of(const Node& mapping, int depth_left) {
    if (auto affordable = work(mapping); !affordable) {
      return std::move(affordable).error();
    }
    std::vector<Member> members;
    HashSet<std::string> names;
    for (std::size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
      const Node& key = nodes_[mapping.children[i]];
      if (is_merge_key(key)) {
        continue;
      }
      if (auto affordable = work(key); !affordable) {
        return std::move(affordable).error();
      }
      BERTH_TRY(std::string name, key_of(key));
      if (!names.insert(name).second) {
        return at_line(key.line, fmt::format("key '{}' stands twice", shown(name)));
      }
      members.emplace_back(std::move(name), &nodes_[mapping.children[i + 1]]);
    }
    for (std::size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
      if (!is_merge_key(nodes_[mapping.children[i]])) {
        continue;
      }
      BERTH_TRY(auto merged, merged_members(nodes_[mapping.children[i + 1]], depth_left));
      for (Member& member : merged) {
        if (auto affordable = work(mapping); !affordable) {
          return std::move(affordable).error();
        }
        if (names.insert(member.first).second) {
          members.push_back(std::move(member));
        }
      }
    }
    return members;
  }

  // What a merge key brings in: the members of one mapping, or of each in a list, the first wins.
  Result<std::vector<Member>> merged_members(const Node& node, int depth_left) {
    if (depth_left <= 0) {
      return too_deep(node.line);
    }
    if (node.kind == Node::Kind::kMapping) {
      return members_of(node, depth_left - 1);
    }
    std::vector<Member> members;
    for (const std::size_t child : node.children) {
      if (nodes_[child].kind != Node::Kind::kMapping) {
        return at_line(node.line, "<< takes a mapping or a list of mappings");
      }
      BERTH_TRY(auto more, members_of(nodes_[child], depth_left - 1));
      std::move(more.begin(), more.end(), std::back_inserter(members));
    }
    if (node.kind == Node::Kind::kScalar) {
      return at_line(node.line, "<< takes a mapping or a list of mappings");
    }
    return members;
  }

  static Result<std::string> key_of(const Node& key) {
    if (key.kind != Node::Kind::kScalar) {
      return at_line(key.line, "a key must be a string, a number or a boolean");
    }
    BERTH_TRY(YamlScalar scalar, resolve(key));
    if (scalar.type == YamlScalar::Type::kNull) {
      return at_line(key.line, "a key must not be null");
    }
    return std::move(scalar.text);
  }

  const std::vector<Node>& nodes_;
  Budget& budget_;
  std::string out_;
};

}  // namespace

std::vector<YamlDocument> read_yaml(std::string_view text) {
  std::vector<YamlDocument> documents;
  if (!codec::is_utf8(text)) {
    documents.push_back({Error(ErrorCode::kInvalid, "holds text that is not UTF-8")});
    return documents;
  }
  Budget budget{.json_left = kYamlJsonFree + kYamlJsonFactor * text.size(),
                .values_left = kYamlValuesFree + text.size()};
  yaml::for_each_document(text, [&](Result<yaml::Document> document, std::size_t line) {
    auto json = document ? Renderer(document->nodes, budget).render()
                         : Result<std::string>(std::move(document).error());
    documents.push_back({.json = std::move(json), .line = line});
    return !budget.is_spent;
  });
  return documents;
}

}  // namespace berth::api
